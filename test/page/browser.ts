import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { chromiumOptions } from '../support/chromium.mjs';
import { aWav } from '../support/wav.mjs';
import { type Colours, launchFirefox } from './firefox.js';

/** The browser of the tests: `BROWSER=firefox`, or else Chromium. */
export const isFirefox = process.env.BROWSER === 'firefox';

/** A test for Chromium only. @param reason why Firefox cannot run it */
export const chromiumIt = (reason: string): typeof it =>
  isFirefox ? (console.info(`skipped in Firefox: ${reason}`), it.skip as typeof it) : it;

const RATE = 48_000;

/** The microphone's input, in a loop: a moment of silence, somebody's voice, and silence. -1 to 1. */
function heardAt(n: number, rate: number): number {
  const seconds = n / rate;
  // A hum with overtones in syllables, which noise suppression takes for a voice.
  const hum = [1, 2, 3, 5, 8].reduce((sum, k) => sum + Math.sin(2 * Math.PI * 140 * k * seconds) / k, 0);
  const voice = seconds > 0.8 && seconds < 2.2 ? 0.35 * hum * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds)) : 0;
  return 0.37 * voice + 0.0004 * Math.sin(n);
}

function aVoice(period: number): string {
  const wav = aWav(RATE, RATE * period, (n) => 32_767 * heardAt(n, RATE));
  const file = join(mkdtempSync(join(tmpdir(), 'voice-')), 'voice.wav');
  writeFileSync(file, wav);
  return file;
}

/** Firefox's own fake microphone only has one constant tone: it is replaced by the voice. */
const hearing = (period: number) => `{
  const heardAt = ${heardAt};
  const media = navigator.mediaDevices ?? { getUserMedia() {} };
  const open = media.getUserMedia.bind(media);
  media.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    if (!wanted.audio) return stream;
    for (const track of stream.getAudioTracks()) {
      track.stop();
      stream.removeTrack(track);
    }
    const context = new AudioContext();
    const buffer = context.createBuffer(1, context.sampleRate * ${period}, context.sampleRate);
    buffer.copyToChannel(Float32Array.from({ length: buffer.length }, (_, n) => heardAt(n, context.sampleRate)), 0);
    const source = Object.assign(context.createBufferSource(), { buffer, loop: true });
    const destination = context.createMediaStreamDestination();
    source.connect(destination);
    source.start();
    for (const track of destination.stream.getAudioTracks()) stream.addTrack(track);
    return stream;
  };
}`;
const voices = new WeakMap<Browser, string>();

export interface LaunchOptions {
  /** Whether there is a microphone and a camera. */
  devices?: boolean;
  /** Whether they are blocked. */
  blocked?: boolean;
  /** How often the microphone hears somebody, in seconds. */
  period?: number;
  /** Host names that resolve to this machine. */
  hosts?: string[];
  /** Those of Firefox; Chromium sets them per page. */
  colours?: Colours;
}

export async function launch({
  devices = true,
  blocked = false,
  period = 5,
  hosts = [],
  colours,
}: LaunchOptions = {}): Promise<Browser> {
  if (isFirefox) {
    const browser = await launchFirefox({ devices, blocked, hosts, colours });
    if (devices) voices.set(browser, hearing(period));
    return browser;
  }
  const { executablePath, args } = chromiumOptions();
  return chromium.launch({
    executablePath,
    args: [
      ...args,
      ...(devices ? ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${aVoice(period)}`] : []),
      ...(hosts.length > 0 ? [`--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join()}`] : []),
    ],
  });
}

/** Runs a callback with a browser of its own. */
export async function inBrowser(options: LaunchOptions, task: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await launch(options);
  await task(browser).finally(() => browser.close());
}

export interface Visit {
  page: Page;
  /** Everything that the page has requested. */
  requests: string[];
  /** Faults in the console: exceptions, and violations of the policy. */
  faults: string[];
  close(): Promise<void>;
}

/**
 * A page, with the microphone allowed unless `blocked`. The browser knows the `user` of the URL's query, which the page
 * does not read. `script` runs before the page's own scripts.
 */
export async function visit(
  browser: Browser,
  url: string,
  { blocked = false, script, ...options }: BrowserContextOptions & { blocked?: boolean; script?: string } = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light',
    locale: 'en',
    ...options,
  });
  if (!blocked && !isFirefox) await context.grantPermissions(['microphone', 'camera']);
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  for (const each of [voices.get(browser), script]) if (each) await page.addInitScript(each);
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  const note = (fault: string) => !/Failed to load resource|favicon/.test(fault) && faults.push(fault);
  page.on('pageerror', (error) => note(error.message));
  page.on('console', (message) => message.type() === 'error' && note(message.text()));
  const target = new URL(url);
  const user = target.searchParams.get('user');
  target.searchParams.delete('user');
  // Not in Firefox's initial empty page, which has no storage.
  if (user) await page.addInitScript(`location.host && (localStorage['avatar-chat-user'] ??= ${JSON.stringify(user)})`);
  await page.goto(target.href);
  return { page, requests, faults, close: () => context.close() };
}

/** Records what a page opens, so that a test can see it closed. */
export const WATCH_MEDIA = `{
  const media = navigator.mediaDevices ?? { getUserMedia() {} };
  const open = media.getUserMedia.bind(media);
  globalThis.tracks = [];
  globalThis.sockets = [];
  media.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    tracks.push(...stream.getTracks());
    return stream;
  };
  const Socket = WebSocket;
  globalThis.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      sockets.push(this);
    }
  };
}`;

/**
 * Whether a page that started with {@link WATCH_MEDIA} has opened the microphone or camera, and everything is closed
 * again.
 */
export function isMediaEnded(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    `tracks.length > 0 && tracks.every(({ readyState }) => readyState === 'ended') &&
      sockets.every(({ readyState }) => readyState === WebSocket.CLOSED)`,
  );
}

/** The computed style of an element. */
export function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate(
    (element, property) => (globalThis as unknown as { getComputedStyle: any }).getComputedStyle(element)[property],
    property,
  );
}

/** Holds back the first request to a path. @returns lets it go to the service, unless there is an answer */
export async function hold(page: Page, path: string, answer?: { contentType: string; body: string }) {
  let release = (): void => undefined;
  let held: Promise<void> | undefined = new Promise((resolve) => (release = resolve));
  // Not `times: 1`: the browser would go on by itself.
  await page.route(path, async (route) => {
    const first = held;
    held = undefined;
    await first;
    await (first && answer ? route.fulfill(answer) : route.continue());
  });
  return release;
}

/** Waits until a condition is met. */
export async function until(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`Condition not met: ${what}`);
}

/** Presses a key as an input method does: some browsers report it by its code, others by a property. */
export const compose = (page: Page, selector: string, key: string) =>
  page.locator(selector).evaluate((element, key) => {
    for (const how of [{ keyCode: 229 }, { isComposing: true }]) {
      const { KeyboardEvent } = globalThis as unknown as { KeyboardEvent: new (type: string, init: object) => never };
      const event = new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true, ...how });
      (element as unknown as { dispatchEvent(event: never): void }).dispatchEvent(event);
    }
  }, key);
