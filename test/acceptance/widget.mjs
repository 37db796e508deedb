/**
 * The page and the widget in Chromium: how soon the page paints, how soon a closed panel releases the microphone, and what
 * axe reports in every language, color scheme and width, before and during a conversation.
 *
 *   npm run verify -- widget [--languages en,ar,…]
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import { parseArgs } from '../../scripts/arguments.mjs';
import { chromiumOptions } from '../support/chromium.mjs';
import { Report, startService } from './harness.mjs';

const { values } = parseArgs({ options: { languages: { type: 'string', default: 'ar,de,en,es,fr,hi,pt,zh' } } });
/** The third is a screen of 1280 × 800 at 200 % zoom. */
const SIZES = [
  [320, 640],
  [768, 1024],
  [640, 400],
  [1280, 800],
  [1920, 1080],
];
const MEDIA = /** @type {const} */ ([
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
]);
const VISITS = 9;
const CLOSINGS = 10;

const report = new Report('npm run verify -- widget');
const host = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(hostPage()));
await once(host.listen(0, '127.0.0.1'), 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (host.address());
const site = `http://localhost:${port}`;
const service = await startService({ DEMO: 'on', CORS_ORIGINS: site });
const origin = `http://127.0.0.1:${service.port}`;
const { args, ...options } = chromiumOptions();
const browser = await chromium.launch({ ...options, args: [...args, '--use-fake-device-for-media-stream'] });

function hostPage() {
  return `<!doctype html><html lang="en"><title>Lamps</title><script src="${origin}/widget.js" async></script>
    <h1>Lamps</h1><avatar-chat floating avatar="ada" language="en" chat-type="video"></avatar-chat></html>`;
}

/** @param {import('playwright-core').BrowserContextOptions} [context] */
async function newPage(context) {
  const page = await (await browser.newContext({ locale: 'en', ...context })).newPage();
  return Object.assign(page, { end: () => page.context().close() });
}

async function paints() {
  const times = [];
  for (let n = 0; n < VISITS; n++) {
    const page = await newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(origin);
    await page.locator('.start-button').waitFor();
    times.push(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
    await page.end();
  }
  return times.toSorted((one, other) => one - other);
}

const KEEP_TRACKS = `{
  const media = navigator.mediaDevices ?? { getUserMedia() {} };
  const open = media.getUserMedia.bind(media);
  globalThis.tracks = [];
  media.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    tracks.push(...stream.getTracks());
    return stream;
  };
}`;
/** Closes the panel, and waits until microphone and camera are off. Returns milliseconds. */
const CLOSE = `(async () => {
  const began = performance.now();
  document.querySelector('avatar-chat').shadowRoot.querySelector('.launcher').click();
  while (tracks.some(({ readyState }) => readyState !== 'ended')) await new Promise((resolve) => setTimeout(resolve));
  return performance.now() - began;
})()`;

async function closings() {
  const page = await newPage({ permissions: ['microphone', 'camera'] });
  await page.addInitScript(KEEP_TRACKS);
  await page.goto(site);
  const times = [];
  for (let n = 0; n < CLOSINGS; n++) {
    await page.getByRole('button', { name: 'Open chat' }).click();
    await page.locator('button.microphone').click();
    await page.waitForFunction(`tracks.filter(({ readyState }) => readyState === 'live').length === 2`);
    await page.locator('.preview:not([hidden])').waitFor();
    times.push(await page.evaluate(CLOSE));
  }
  await page.end();
  return times;
}

/** @param {import('playwright-core').Page} page @param {string} state */
async function violations(page, state) {
  const found = [];
  await page.evaluate(axe.source);
  for (const media of MEDIA) {
    await page.emulateMedia(media);
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      const result = await page.evaluate('axe.run()');
      const name = `${state}, ${media.colorScheme}, forced colours ${media.forcedColors}, ${width} × ${height}`;
      for (const { id, nodes } of result.violations) found.push(`${name}: ${id}, ${nodes[0].html}`);
    }
  }
  return found;
}

const paint = await paints();
const median = paint[Math.floor(paint.length / 2)];
const ms = (/** @type {number} */ value) => `${Math.round(value)} ms`;
report.row(
  'The page: first contentful paint, median',
  '≤ 150 ms',
  `${ms(median)} (${paint.map(Math.round).join(', ')})`,
  median <= 150,
);

const closed = Math.max(...(await closings()));
report.row(
  `The panel closed: microphone and camera are off, at most, of ${CLOSINGS}`,
  '≤ 500 ms',
  ms(closed),
  closed <= 500,
);

const languages = values.languages.split(',');
const found = [];
for (const language of languages) {
  const page = await newPage();
  await page.goto(`${origin}/?language=${language}`);
  await page.locator('.start-button').waitFor();
  found.push(...(await violations(page, `${language}, the choice`)));
  for (const choice of ['mira', 'voice']) await page.locator(`label[data-value=${choice}]`).click();
  await page.locator('.start-button').click();
  await page.locator('.suggestions button').first().click();
  await page.locator('.mine + .theirs.done .about').waitFor();
  found.push(...(await violations(page, `${language}, a conversation`)));
  await page.end();
}
for (const fault of found) console.log(`  ${fault}`);
report.row(
  `axe: violations in ${languages.length * 2 * MEDIA.length * SIZES.length} states`,
  '0',
  String(found.length),
  found.length === 0,
);
await browser.close();
host.close();
await service.stop?.();
report.end();
