import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, firefox } from 'playwright-core';

const USUAL = [
  '/usr/bin/firefox-esr',
  '/usr/bin/firefox',
  '/Applications/Firefox.app/Contents/MacOS/firefox',
  'C:\\Program Files\\Mozilla Firefox\\firefox.exe',
];

/** Firefox's values for the microphone: 1 asks, 2 blocks. */
const REFUSES = 2;
/** Firefox's values for color schemes. */
const SCHEMES = { dark: 0, light: 1 };
/** Firefox's values for page colors: 2 replaces them with the system's. */
const FORCED = 2;

/** Color scheme, and whether the system's colors are forced. */
export interface Colours {
  colorScheme: 'light' | 'dark';
  forcedColors: 'none' | 'active';
}

/**
 * A release build of Firefox, over WebDriver BiDi.
 *
 * @param devices whether there is a microphone and a camera
 * @param blocked whether they are blocked
 * @param hosts names that resolve to this machine
 * @param colours of all its pages, constant while it runs
 */
export async function launchFirefox({
  devices = true,
  blocked = false,
  hosts = [] as string[],
  colours = { colorScheme: 'light', forcedColors: 'none' } as Colours,
}): Promise<Browser> {
  const executablePath = [process.env.FIREFOX_PATH, ...USUAL].find((path) => path && existsSync(path));
  if (!executablePath)
    throw new Error(
      'There is no Firefox here. Install one (Debian: apt-get install firefox-esr), or set FIREFOX_PATH.',
    );
  // Its monitor would be a microphone.
  const sound = devices ? await startSound() : undefined;
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath,
    env: { ...process.env, ...sound?.env },
    firefoxUserPrefs: {
      'media.navigator.streams.fake': devices,
      'media.navigator.permission.disabled': !blocked,
      ...(blocked && { 'permissions.default.microphone': REFUSES, 'permissions.default.camera': REFUSES }),
      'media.autoplay.default': 0,
      'media.autoplay.blocking_policy': 0,
      'network.dns.localDomains': hosts.join(),
      'layout.css.prefers-color-scheme.content-override': SCHEMES[colours.colorScheme],
      ...(colours.forcedColors === 'active' && { 'browser.display.document_color_use': FORCED }),
    },
  });
  if (sound) browser.on('disconnected', () => sound.stop());
  allowMissingCommand(browser);
  return browser;
}

/** A sound server with a null sink: Firefox plays nothing on a machine without a sound device. */
async function startSound() {
  if (process.platform !== 'linux') return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'sound-'));
  const socket = join(directory, 'native');
  const server = spawn(
    'pulseaudio',
    ['-n', '--daemonize=no', '--exit-idle-time=-1', '--use-pid-file=no', '-L', 'module-null-sink'].concat([
      '-L',
      `module-native-protocol-unix socket=${socket} auth-anonymous=1`,
    ]),
    { stdio: 'ignore', env: { ...process.env, HOME: directory, XDG_RUNTIME_DIR: directory } },
  );
  let isGone = false;
  server.once('error', () => (isGone = true)).once('exit', () => (isGone = true));
  for (let n = 0; !existsSync(socket); n++) {
    if (isGone || n === 200)
      throw new Error(
        'PulseAudio cannot be started, and Firefox needs it for sound. Debian: apt-get install pulseaudio.',
      );
    await delay(50);
  }
  return { env: { PULSE_SERVER: `unix:${socket}` }, stop: () => server.kill() };
}

interface Session {
  send(method: string, params: unknown): Promise<unknown>;
}

/**
 * Playwright sets color schemes in each context; Debian's Firefox does not have that command yet, and rejects the
 * context.
 */
function allowMissingCommand(browser: Browser): void {
  const { _connection } = browser as unknown as {
    _connection: { toImpl(of: Browser): { _browserSession: Session } };
  };
  const session = Object.getPrototypeOf(_connection.toImpl(browser)._browserSession) as Session;
  const { send } = session;
  session.send = function (this: Session, method, params) {
    return method === 'emulation.setMediaFeaturesOverride' ? Promise.resolve({}) : send.call(this, method, params);
  };
}
