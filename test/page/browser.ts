import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { aWav } from '../support/wav.mjs';

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The browser of this machine. */
function executable(): string {
  const found = [process.env.CHROMIUM_PATH, ...USUAL].find((path) => path && existsSync(path));
  if (found) return found;
  throw new Error('There is no Chromium here. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
}

/** What the microphone hears, again and again: a second of an empty room, two of somebody, three of the room. */
function aVoice(): string {
  const rate = 48_000;
  const wav = aWav(rate, rate * 6, (n) => {
    const seconds = n / rate;
    // A hum with overtones in syllables, which noise suppression takes for a voice.
    const hum = [1, 2, 3, 5, 8].reduce((sum, k) => sum + Math.sin(2 * Math.PI * 140 * k * seconds) / k, 0);
    const voice = seconds > 1 && seconds < 3 ? 0.35 * hum * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds)) : 0;
    return 12_000 * voice + 12 * Math.sin(n);
  });
  const file = join(mkdtempSync(join(tmpdir(), 'voice-')), 'voice.wav');
  writeFileSync(file, wav);
  return file;
}

/** @param devices whether there is a microphone and a camera */
export function launch({ devices = true, args = [] as string[] } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: executable(),
    args: [
      ...(devices ? ['--use-fake-device-for-media-stream', `--use-file-for-fake-audio-capture=${aVoice()}`] : []),
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...args,
    ],
  });
}

export interface Visit {
  page: Page;
  /** Everything that the page has asked for. */
  requests: string[];
  /** What the console says of faults: exceptions, and violations of the policy. */
  faults: string[];
  close(): Promise<void>;
}

/**
 * A page, with the microphone allowed unless `blocked`. The browser knows the `user` of the URL's query, which the page
 * does not take from there. `script` runs before those of the page.
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
  if (!blocked) await context.grantPermissions(['microphone', 'camera']);
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  if (script) await page.addInitScript(script);
  const requests: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  const target = new URL(url);
  const user = target.searchParams.get('user');
  target.searchParams.delete('user');
  const remember = ([name, id]: string[]) => {
    const { localStorage } = globalThis as unknown as { localStorage: any };
    localStorage[name!] ??= id;
  };
  if (user) await page.addInitScript(remember, ['avatar-chat-user', user]);
  await page.goto(target.href);
  return { page, requests, faults, close: () => context.close() };
}

/** What the style sheets make of an element. */
export function styleOf(element: Locator, property: string): Promise<string> {
  return element.evaluate(
    (element, property) => (globalThis as unknown as { getComputedStyle: any }).getComputedStyle(element)[property],
    property,
  );
}

/** Waits until something is so. */
export async function until(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It has not come about: ${what}`);
}
