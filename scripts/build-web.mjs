/** Builds what browsers load into dist/web: the widget, and the demo page around it. */
import { cp, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { bundle } from './bundle.mjs';

const OUT = 'dist/web';
const WIDGET = `${OUT}/widget/widget.js`;

await Promise.all([
  bundle('web/widget/index.ts', WIDGET),
  bundle('web/page/page.ts', `${OUT}/demo/demo/page.js`),
  cp('web/page/index.html', `${OUT}/demo/index.html`),
  cp('web/page/page.css', `${OUT}/demo/demo/page.css`),
  cp('web/page/icon.svg', `${OUT}/demo/demo/icon.svg`),
]);
await writeFile(`${WIDGET}.gz`, gzipSync(await bundle('web/widget/index.ts'), { level: 9 }));
