import { existsSync } from 'node:fs';

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** What Playwright switches off, which a list of one's own replaces: processes.page-spec.ts compares it. */
const BY_PLAYWRIGHT = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
];

/** Pages of the browser's own surface that nobody sees, but each window loads: half of a short visit's processor time. */
const OF_WINDOWS = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'PreloadTopChromeWebUI'];

/** Playwright's options for the local Chromium, which the variable `CHROMIUM_PATH` may name. */
export function chromiumOptions() {
  const executablePath = [process.env.CHROMIUM_PATH, ...USUAL].find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error('There is no Chromium here. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH.');
  const args = [`--disable-features=${[...BY_PLAYWRIGHT, ...OF_WINDOWS]}`];
  return { executablePath, args: process.getuid?.() === 0 ? [...args, '--no-sandbox'] : args };
}
