/**
 * Programs of others that check `deploy/` and the service: those on the PATH, otherwise unpacked or built into `.cache/deploy`, without
 * installing anything on the machine. Helm is built from its Go module, which takes ten minutes the first time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.16.4';
const VALIDATOR = 'kubernetes-validate==1.37.0';
const SECANTUS = 'secantusdb==0.7.0b3';
/** Debian's packages, by program. */
const PACKAGES = { nginx: 'nginx', caddy: 'caddy', promtool: 'prometheus' };
const LIMIT_MS = 30 * 60_000;

const cache = fileURLToPath(new URL('../../../.cache/deploy', import.meta.url));
const places = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...['bin', 'venv/bin', 'root/usr/bin', 'root/usr/sbin'].map((place) => join(cache, place)),
];
const find = (program) => places.map((place) => join(place, program)).find((file) => existsSync(file));

const run = (command, args, options = {}) =>
  spawnSync(command, args, { cwd: cache, stdio: ['ignore', 'ignore', 'pipe'], timeout: LIMIT_MS, ...options })
    .status === 0;

const installFromPypi = (packageName) =>
  run('python3', ['-m', 'venv', 'venv']) &&
  run('venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', packageName]);

const WAYS = {
  helm: () => run('go', ['install', HELM], { env: { ...process.env, GOBIN: join(cache, 'bin') } }),
  'kubernetes-validate': () => installFromPypi(VALIDATOR),
  'secantusd-py': () => installFromPypi(SECANTUS),
};

const unpack = (debian) =>
  run('sh', ['-c', 'rm -f "$0"_*.deb && apt-get download "$0" && dpkg -x "$0"_*.deb root', debian]);

/**
 * Where a program is; obtains it if it is nowhere.
 *
 * @param {'helm' | 'kubernetes-validate' | 'secantusd-py' | 'nginx' | 'caddy' | 'promtool'} program
 * @returns {string | undefined} undefined, and one sentence on the console, if it cannot be had
 */
export function obtain(program) {
  const found = find(program);
  if (found) return found;
  mkdirSync(cache, { recursive: true });
  if (program in WAYS ? WAYS[program]() : unpack(PACKAGES[program])) return find(program);
  console.log(`${program} is not available here; what needs it is skipped.`);
  return undefined;
}

/** Runs a program to its end. */
export function finish(program, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000, ...options });
  return { ok: status === 0, stdout, text: `${stdout}${stderr}`.trim() };
}
