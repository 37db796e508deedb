/**
 * Bundles the operators' page.
 *
 *   node packages/console/build.mjs DIRECTORY
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundle, styleSheet } from '../../scripts/bundle.mjs';

const out = process.argv[2];
if (!out) throw new Error('Name the directory to write to.');
const source = (path) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

await mkdir(out, { recursive: true });
const [script, html, css] = await Promise.all([
  bundle(source('main.ts')),
  readFile(source('index.html'), 'utf8'),
  styleSheet(source('console.css')),
]);
// The style sheet is inlined, so that the first paint waits for nothing.
const page = html.replace('<link rel="stylesheet" href="console.css" />', () => `<style>${css}</style>`);
await Promise.all([
  writeFile(join(out, 'index.html'), page),
  writeFile(join(out, 'console.js'), script),
  writeFile(join(out, 'console.js.gz'), gzipSync(script, { level: 9 })),
  cp(source('icon.svg'), join(out, 'icon.svg')),
]);
