// Checks that the shipped catalogue and its files match; prints each fault and exits with 1 if there is one.
//   node scripts/assets/check.mjs [catalogue file, default catalogue/default.json] [assets folder, default assets]
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { svgSize, webmInfo, webpSize } from './headers.mjs';
import { LAYERS } from './portrait.mjs';

const root = resolve(import.meta.dirname, '../..');
const catalogueFile = resolve(process.argv[2] ?? join(root, 'catalogue/default.json'));
const assets = resolve(process.argv[3] ?? join(root, 'assets'));

const ICONS = { small: 64, medium: 256, large: 512 };
const VIDEO = { pixels: 480, minSeconds: 3, maxSeconds: 5, maxBytes: 150_000 };
const MAX_TOTAL_BYTES = 1_500_000;

const mediabunny = await import('mediabunny').catch(() =>
  console.warn('Videos are not checked: the optional package mediabunny is not installed'),
);

const faults = [];
const fault = (place, text) => faults.push(`${place}: ${text}`);

/** The file behind a URL of the catalogue. If it does not exist, reports a fault and returns undefined. */
function fileOf(place, url) {
  if (!/^\/assets(\/[a-z0-9][a-z0-9._-]*)+$/.test(url ?? ''))
    return void fault(place, `not a path under /assets/: ${url}`);
  const file = join(assets, url.slice('/assets/'.length));
  if (!existsSync(file)) return void fault(place, `no such file: ${url}`);
  return file;
}

function checkIcon(place, url, pixels) {
  const file = fileOf(place, url);
  const size = file && webpSize(readFileSync(file));
  if (file && !size) fault(place, 'not a WebP file');
  if (size && (size.width !== pixels || size.height !== pixels)) {
    fault(place, `${size.width}x${size.height} instead of ${pixels}x${pixels}`);
  }
}

function checkSvg(place, url) {
  const file = fileOf(place, url);
  if (!file) return;
  const text = readFileSync(file, 'utf8');
  const size = svgSize(text);
  if (!size || size.width !== size.height) fault(place, 'not a square SVG with a viewBox');
  if (/<script|<foreignObject|\son\w+=|href="(?!#)/i.test(text))
    fault(place, 'an SVG with a script or an external reference');
}

async function checkVideo(place, url) {
  const file = fileOf(place, url);
  if (!file) return;
  const bytes = readFileSync(file);
  if (bytes.length > VIDEO.maxBytes) fault(place, `${bytes.length} bytes, more than ${VIDEO.maxBytes}`);
  if (!mediabunny) return;
  const info = await webmInfo(mediabunny, bytes);
  if (!info) return fault(place, 'not a WebM file');
  if (info.width !== VIDEO.pixels || info.height !== VIDEO.pixels) fault(place, `${info.width}x${info.height} pixels`);
  if (!(info.seconds >= VIDEO.minSeconds && info.seconds <= VIDEO.maxSeconds)) fault(place, `${info.seconds} seconds`);
}

/** The portrait beside an avatar's icons. The demo page animates it by its layer names. */
function checkPortrait(place, url) {
  checkSvg(place, url);
  const file = join(assets, url.slice('/assets/'.length));
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const missing = Object.values(LAYERS)
    .flat()
    .filter((id) => !text.includes(`<g id="${id}"`));
  if (missing.length > 0) fault(place, `layers missing: ${missing.join(', ')}`);
}

const { avatars = [], languages = [] } = JSON.parse(readFileSync(catalogueFile, 'utf8'));
if (avatars.length === 0) fault('avatars', 'none');
if (languages.length === 0) fault('languages', 'none');

for (const { _id, previewIcons, startButtonIcon, idleVideo } of avatars) {
  const place = `avatar ${_id}`;
  for (const [name, pixels] of Object.entries(ICONS)) checkIcon(`${place}, ${name}`, previewIcons?.[name], pixels);
  checkSvg(`${place}, startButtonIcon`, startButtonIcon);
  await checkVideo(`${place}, idleVideo`, idleVideo);
  checkPortrait(`${place}, portrait`, `${dirname(idleVideo ?? '')}/portrait.svg`);
}
for (const { language_code, icon_url } of languages) checkSvg(`language ${language_code}`, icon_url);

const files = existsSync(assets)
  ? readdirSync(assets, { recursive: true }).map((name) => statSync(join(assets, name)))
  : [];
const total = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
if (total > MAX_TOTAL_BYTES) fault('assets', `${total} bytes in total, more than ${MAX_TOTAL_BYTES}`);

for (const line of faults) console.error(line);
if (faults.length === 0)
  console.log(`${avatars.length} avatars, ${languages.length} languages, ${total} bytes: no faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
