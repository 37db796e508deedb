import { existsSync } from 'node:fs';

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Playwright's options for the local Chromium, which the variable `CHROMIUM_PATH` may name. */
export function chromiumOptions() {
  const executablePath = [process.env.CHROMIUM_PATH, ...USUAL].find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error('There is no Chromium here. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
  return { executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] };
}
