/** Prints how large what browsers load is, minified and gzipped, and fails where it is larger than it may be. */
import { gzipSync } from 'node:zlib';
import { bundle } from './bundle.mjs';

/** @type {{ name: string, entry: string, format: import('esbuild').Format, limit: number }[]} */
const PARTS = [
  { name: 'client', entry: 'packages/client/src/index.ts', format: 'esm', limit: 4 * 1024 },
  { name: 'widget', entry: 'packages/widget/src/widget/index.ts', format: 'iife', limit: 40 * 1024 },
];

for (const { name, entry, format, limit } of PARTS) {
  const size = gzipSync(await bundle(entry, undefined, format), { level: 9 }).length;
  console.log(`${name}: ${size} of ${limit} bytes gzipped`);
  if (size > limit) process.exitCode = 1;
}
