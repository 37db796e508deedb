/**
 * Bundles what browsers load, the widget and the demo page around it.
 *
 *   node packages/widget/build.mjs DIRECTORY
 */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundle } from '../../scripts/bundle.mjs';

const out = process.argv[2];
if (!out) throw new Error('Name the directory to write to.');
const SOURCES = fileURLToPath(new URL('./src/', import.meta.url));
const source = (path) => join(SOURCES, path);
const widget = join(out, 'widget/widget.js');
const demo = join(out, 'demo');

await Promise.all([
  bundle(source('widget/index.ts'), widget),
  bundle(source('page/page.ts'), join(demo, 'demo/page.js')),
  cp(source('page/index.html'), join(demo, 'index.html')),
  cp(source('page/page.css'), join(demo, 'demo/page.css')),
  cp(source('page/icon.svg'), join(demo, 'demo/icon.svg')),
]);
await writeFile(`${widget}.gz`, gzipSync(await bundle(source('widget/index.ts')), { level: 9 }));
