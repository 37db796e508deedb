/** Prints the size of the scripts that browsers load, minified and gzipped. Fails if one exceeds its limit. */
import { gzipSync } from 'node:zlib';
import { SCRIPTS } from '../packages/widget/scripts.mjs';
import { bundle } from './bundle.mjs';

/** @type {{ name: string, entries: string[], format: import('esbuild').Format, limit: number }[]} */
const PARTS = [
  { name: 'client', entries: ['packages/client/src/index.ts'], format: 'esm', limit: 6 * 1024 },
  { name: 'client, audio', entries: ['packages/client/src/audio.ts'], format: 'esm', limit: 2 * 1024 },
  { name: 'loader of the widget', entries: [SCRIPTS['widget.js']], format: 'iife', limit: 6000 },
  // The service's responses up to the first spoken answer take up the rest of 60 kB.
  { name: 'widget', entries: Object.values(SCRIPTS), format: 'iife', limit: 56_200 },
];

for (const { name, entries, format, limit } of PARTS) {
  const scripts = await Promise.all(entries.map((entry) => bundle(entry, undefined, format)));
  const size = scripts.reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0);
  console.log(`${name}: ${size} of ${limit} bytes gzipped`);
  if (size > limit) process.exitCode = 1;
}
