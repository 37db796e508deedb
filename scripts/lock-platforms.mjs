/**
 * Completes package-lock.json with the optional packages of other systems (`@swc/core-darwin-arm64` and their like), which
 * `npm install` leaves out where the registry it asked does not have them, and without which `npm ci` refuses the lock.
 * Run it after every change of a dependency; with --check it only says whether the lock is complete.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = 'package-lock.json';
const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { packages } = lock;

/** Whether a package finds another, in its own node_modules or in one above. */
function finds(from, name) {
  for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
    if (packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true;
    if (!at) return false;
  }
}

/** The licence of the same package for another system, which is the same. */
function licenceLike(name) {
  const kin = `node_modules/${name.slice(0, /(darwin|linux|win32|freebsd|android|openharmony)/.exec(name)?.index)}`;
  return Object.entries(packages).find(([at, { license }]) => license && at.startsWith(kin))?.[1].license;
}

/** The entry of a package that is made for one system, which its name tells. */
function entryFor(name, version, dev) {
  const [, os, rest] = /(darwin|linux|win32|freebsd|android|openharmony)(.*)$/.exec(name) ?? [];
  const [cpu] = /arm64|x64|ia32|ppc64|s390x|riscv64|loong64|arm/.exec(rest ?? '') ?? [];
  if (!os || !cpu || !/^\d+\.\d+\.\d+/.test(version)) return undefined;
  const libc = os !== 'linux' ? undefined : /musl/.test(rest) ? ['musl'] : /gnu/.test(rest) ? ['glibc'] : undefined;
  const license = licenceLike(name);
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(libc ? { libc } : {}),
    ...(license ? { license } : {}),
    optional: true,
    os: [os],
  };
}

const missing = [];
for (const [at, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const entry = finds(at, name) ? undefined : entryFor(name, version, dev);
    if (entry) missing.push([`node_modules/${name}`, entry]);
  }
}

if (process.argv.includes('--check')) {
  if (missing.length > 0)
    console.error(
      `${FILE} lacks ${missing.length} packages of other systems; \`node scripts/lock-platforms.mjs\` adds them`,
    );
  process.exit(missing.length > 0 ? 1 : 0);
}
const { '': root, ...rest } = { ...packages, ...Object.fromEntries(missing) };
lock.packages = { '': root, ...Object.fromEntries(Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))) };
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`added ${missing.length}`);
