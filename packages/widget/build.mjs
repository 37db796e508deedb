/**
 * Bundles the browser code: the widget and the demo page around it.
 *
 *   node packages/widget/build.mjs DIRECTORY
 */
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundle, styleSheet } from '../../scripts/bundle.mjs';
import { SCRIPTS, sharedBy } from './scripts.mjs';

const out = process.argv[2];
if (!out) throw new Error('Name the directory to write to.');
const source = (path) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));
const demo = join(out, 'demo');

/** The page with its style sheet inlined, so that the first paint waits for nothing. */
async function page() {
  const html = await readFile(source('page/index.html'), 'utf8');
  const css = await styleSheet(source('page/page.css'));
  return html.replace('<link rel="stylesheet" href="page.css" />', () => `<style>${css}</style>`);
}

await Promise.all([join(demo, 'demo'), join(out, 'widget')].map((path) => mkdir(path, { recursive: true })));
await Promise.all([
  ...Object.entries(SCRIPTS).map(async ([name, entry]) => {
    const path = join(out, 'widget', name);
    const script = await bundle(entry, undefined, 'iife', sharedBy(name));
    await writeFile(path, script);
    await writeFile(`${path}.gz`, gzipSync(script, { level: 9 }));
  }),
  bundle(source('page/page.ts'), join(demo, 'demo/page.js')),
  writeFile(join(demo, 'index.html'), await page()),
  cp(source('page/icon.svg'), join(demo, 'demo/icon.svg')),
]);
