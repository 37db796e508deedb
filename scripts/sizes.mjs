/** Prints how large what browsers load is, minified and gzipped, and fails where it is larger than it may be. */
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const PARTS = [{ name: 'client', entry: 'clients/typescript/src/index.ts', limit: 4096 }];

for (const { name, entry, limit } of PARTS) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
  });
  const size = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  console.log(`${name}: ${size} of ${limit} bytes gzipped`);
  if (size > limit) process.exitCode = 1;
}
