/** For video.mjs: checks videos with ffmpeg and browsers. Skips what is not installed. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, firefox } from 'playwright-core';

/** The mouth positions of the shipped portraits, at 480×480. */
const MOUTH = { x: 204, y: 280, width: 72, height: 62 };
const FRAME_MS = 40;
const STEP_MS = 10;
const FARTHEST_MS = 240;
const RATE = 16_000;

function output(command, args) {
  const { status, stdout, error } = spawnSync(command, args, { maxBuffer: 2 ** 28 });
  if (/** @type {NodeJS.ErrnoException | undefined} */ (error)?.code === 'ENOENT') return undefined;
  if (status !== 0) throw new Error(`${command} failed`);
  return stdout;
}

/** A description of a video's format; undefined without ffprobe. */
export function probe(file) {
  const json = output('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', file]);
  if (!json) return undefined;
  const { streams } = JSON.parse(json.toString());
  const video = streams.find(({ codec_type }) => codec_type === 'video');
  const audio = streams.find(({ codec_type }) => codec_type === 'audio');
  const size = `${video.width}x${video.height}`;
  return `${video.codec_name} ${video.profile} ${video.pix_fmt} ${size} ${video.r_frame_rate}, ${audio.codec_name} ${audio.profile}`;
}

/**
 * By how many milliseconds the lips lag behind the sound, where mouth area and loudness correlate best, as a
 * player shows them; undefined without ffmpeg.
 *
 * @returns {{ lag?: number, correlation?: number }}
 */
export function lipsOf(file) {
  const { x, y, width, height } = MOUTH;
  const crop = `crop=${width}:${height}:${x}:${y}`;
  const pixels = output('ffmpeg', ['-v', 'error', '-i', file, '-vf', crop, '-f', 'rawvideo', '-pix_fmt', 'gray', '-']);
  const sound = output('ffmpeg', ['-v', 'error', '-i', file, '-ac', '1', '-ar', `${RATE}`, '-f', 's16le', '-']);
  if (!pixels || !sound) return {};
  const samples = new Int16Array(sound.buffer.slice(sound.byteOffset, sound.byteOffset + (sound.length & ~1)));
  const areas = Array.from({ length: pixels.length / (width * height) }, (_, frame) =>
    mouthArea(pixels.subarray(frame * width * height, (frame + 1) * width * height)),
  );
  let best = { lag: 0, correlation: -1 };
  for (let lag = -FARTHEST_MS; lag <= FARTHEST_MS; lag += STEP_MS) {
    const pairs = areas.flatMap((area, frame) => {
      const level = loudness(samples, frame * FRAME_MS - lag);
      return level === undefined ? [] : [[area, level]];
    });
    const correlation = pearson(pairs);
    if (correlation > best.correlation) best = { lag, correlation };
  }
  return best;
}

/** The number of dark mouth pixels and of teeth pixels. */
function mouthArea(pixels) {
  return pixels.reduce((sum, pixel) => sum + (pixel < 65 || pixel > 190 ? 1 : 0), 0);
}

/** Root mean square over the time in which a frame is shown. */
function loudness(samples, ms) {
  const from = Math.round((ms / 1000) * RATE);
  const length = (FRAME_MS / 1000) * RATE;
  if (from < 0 || from + length > samples.length) return undefined;
  let sum = 0;
  for (let n = from; n < from + length; n++) sum += samples[n] ** 2;
  return Math.sqrt(sum / length);
}

function pearson(pairs) {
  const mean = (at) => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length;
  const [a, b] = [mean(0), mean(1)];
  const of = (term) => pairs.reduce((sum, [x, y]) => sum + term(x - a, y - b), 0);
  return of((x, y) => x * y) / Math.sqrt(of((x) => x * x) * of((_, y) => y * y));
}

/** The installed browsers. */
export function players() {
  const found = (paths) => paths.find((path) => path && existsSync(path));
  const chromiumPath = found([process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome']);
  const firefoxPath = found([process.env.FIREFOX_PATH, '/usr/bin/firefox-esr', '/usr/bin/firefox']);
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = ['--autoplay-policy=no-user-gesture-required', ...sandbox];
  return [
    chromiumPath && { name: 'Chromium', launch: () => chromium.launch({ executablePath: chromiumPath, args }) },
    firefoxPath && {
      name: 'Firefox',
      launch: async () => {
        const browser = await firefox.launch({
          channel: 'moz-firefox',
          executablePath: firefoxPath,
          firefoxUserPrefs: { 'media.autoplay.default': 0, 'media.autoplay.blocking_policy': 0 },
        });
        allowMissingCommand(browser);
        return browser;
      },
    },
  ].filter(Boolean);
}

/** Playwright sets a color scheme in each context. Debian's Firefox does not support that command yet, and rejects the context. */
function allowMissingCommand(browser) {
  const session = Object.getPrototypeOf(browser._connection.toImpl(browser)._browserSession);
  const { send } = session;
  session.send = function (method, params) {
    return method === 'emulation.setMediaFeaturesOverride' ? Promise.resolve({}) : send.call(this, method, params);
  };
}

/** A complete page. */
const page = (url) =>
  `<!doctype html><meta charset="utf-8"><title>Answer</title><video src="${url.replaceAll('&', '&amp;')}" autoplay muted controls></video>`;

/**
 * Plays videos to their ends, each twice, on a page of another origin.
 *
 * @param keep where to save screenshots; if omitted, none are taken
 */
export async function playIn(launch, videos, keep) {
  if (keep) mkdirSync(keep, { recursive: true });
  const server = createServer((request, response) => {
    const { url } = videos[Number(request.url?.slice(1))] ?? {};
    response.writeHead(url ? 200 : 404, { 'Content-Type': 'text/html' }).end(url && page(url));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const browser = await launch();
  const played = [];
  try {
    const tab = await browser.newPage();
    for (const [number, { what }] of videos.entries())
      for (const time of ['streamed', 'file']) {
        await tab.goto(`http://localhost:${port}/${number}`);
        const seen = {
          what: `${what}, ${time}`,
          ...(await watched(tab, keep && join(keep, `${what.replace(', ', '-')}-${time}`))),
        };
        played.push(seen);
      }
  } finally {
    await browser.close();
    server.close();
  }
  return played;
}

/** Waits until a video ends or fails. */
async function watched(tab, picture) {
  let first = Infinity;
  let state = {};
  for (let n = 0; n < 600; n++) {
    state = await tab.evaluate(`(() => {
      const video = document.querySelector('video');
      const { currentTime, duration, ended, error, videoWidth, readyState } = video;
      if (videoWidth && !window.first) window.first = performance.now();
      return { currentTime, duration, ended, videoWidth, fault: error?.message ?? error?.code, first: window.first,
        frames: video.getVideoPlaybackQuality().totalVideoFrames };
    })()`);
    first = Math.min(first, state.first ?? Infinity);
    if (picture && n % 4 === 0 && n < 40 && state.currentTime > 0)
      await tab.locator('video').screenshot({ path: `${picture}-${String(n).padStart(2, '0')}.png` });
    if (state.ended || state.fault) break;
    await sleep(100);
  }
  const isPlayed = state.ended && state.videoWidth === 480 && state.currentTime > 0.5 && state.frames > 5;
  return { first, isPlayed, fault: isPlayed ? undefined : (state.fault ?? JSON.stringify(state)) };
}
