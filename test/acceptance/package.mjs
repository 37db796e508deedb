/**
 * Packs the published packages as npm would, and checks them: publint, attw, dead links.
 * Then installs them beside each example in a directory of its own, and builds, tests and starts the example there.
 * This shows that another team's package needs only the public API. So does a module that `module new` writes. The hook in the client's README talks to one
 * of them in React.
 *
 *     npm run verify -- package [--npm]
 *
 * With `--npm` it leaves out pnpm.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import '../../scripts/ensure-built.mjs';
import { faultsOf } from './packed.mjs';
import { tryHook } from './react-hook.mjs';

const { values } = parseArgs({ options: { npm: { type: 'boolean', default: false } } });
/** What is published besides the service. */
const WORKSPACES = [
  'packages/catalogue',
  'packages/command-line',
  'packages/dialogue',
  'packages/errors',
  'packages/embedded-mongo',
  'packages/knowledge',
  'packages/media',
  'packages/model-files',
  'packages/models',
  'packages/realtime',
  'packages/runtime',
  'packages/settings',
  'packages/video',
  'packages/webrtc',
  'packages/client',
];
/** What `module new` writes its modules from. */
const TEMPLATE = 'sample-notes';
/** The paths under which examples mount the service, if not at the root. */
const PREFIXES = { 'express-host': '/talk/v1' };
const START_LIMIT_MS = 120_000;
const PNPM = 'pnpm@10.34.8';

const directory = mkdtempSync(join(tmpdir(), 'package-'));
const npm = (cwd, ...args) =>
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });

/** Asserts that an example's program serves the API under its prefix. @param {(url: string) => void} use called meanwhile */
async function assertStarts(path, prefix, use) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
  probe.close();
  const env = { ...process.env, NODE_ENV: 'development', PORT: `${port}`, MONGODB_URI: 'embedded::memory:' };
  const program = spawn(process.execPath, ['dist/src/main.js'], {
    cwd: path,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(program, 'exit');
  try {
    const end = Date.now() + START_LIMIT_MS;
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}${prefix}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isReady())) {
      if (program.exitCode !== null || Date.now() > end) throw new Error(`${path} did not start`);
      await delay(250);
    }
    use(`http://127.0.0.1:${port}${prefix}`);
  } finally {
    program.kill();
    await exited;
  }
}

/** Changes the package.json of a copy. @param {string} path @param {(pkg: any) => void} change */
function editPackage(path, change) {
  const file = join(path, 'package.json');
  const pkg = JSON.parse(readFileSync(file, 'utf8'));
  change(pkg);
  writeFileSync(file, JSON.stringify(pkg));
}

/** Installs and tests an example with pnpm, which looks for the other packed packages in the registry unless told otherwise. */
function testWithPnpm(name, packed) {
  const copy = join(directory, `${name}-pnpm`);
  cpSync(join('examples', name), copy, {
    recursive: true,
    filter: (source) => !/[\\/](node_modules|dist)$/.test(source),
  });
  editPackage(copy, (pkg) => {
    const files = Object.fromEntries(packed.map(({ name: of, filename }) => [of, `file:../${filename}`]));
    pkg.dependencies['avatar-chat-service'] = files['avatar-chat-service'];
    delete pkg.overrides;
    pkg.pnpm = { overrides: files };
  });
  execFileSync('npx', ['--yes', PNPM, 'install', '--ignore-scripts', '--silent'], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  npm(copy, 'run', '--silent', 'build');
  npm(copy, 'test', '--silent');
  console.log(`${name}: installed with pnpm, built, tested`);
}

/** Writes a module, builds, tests and starts it. @param {string} installed an example whose packages it uses with --npm */
async function testScaffold(installed) {
  const copy = join(directory, 'lost-and-found');
  const words = ['module', 'new', 'lost-and-found', '--output', copy];
  execFileSync(process.execPath, ['dist/programs/cli.js', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  const kept = readdirSync(copy, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(ts|json)$/.test(file) && /sample.?note/i.test(file + readFileSync(join(copy, file), 'utf8')),
  );
  if (kept.length > 0) throw new Error(`The name of the example is left in ${kept}`);
  if (values.npm) symlinkSync(join(installed, 'node_modules'), join(copy, 'node_modules'));
  else npm(copy, 'install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts');
  npm(copy, 'test', '--silent');
  await assertStarts(copy, '', () => undefined);
  console.log('module new: written, built, tested, started');
  if (values.npm) return;
  rmSync(join(copy, 'node_modules'), { recursive: true });
  execFileSync('npx', ['--yes', PNPM, 'install', '--ignore-scripts', '--silent'], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  npm(copy, 'test', '--silent');
  console.log('module new: installed with pnpm, built, tested');
}

/** Asserts that with a second copy of Mongoose, whose schemas @nestjs/mongoose cannot use, the program prints that error and nothing else. */
function assertCopyRefused(path) {
  const second = join(path, 'node_modules/avatar-chat-service/node_modules/mongoose');
  cpSync(join(path, 'node_modules/mongoose'), second, { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ['dist/src/main.js'], { cwd: path, encoding: 'utf8' });
  rmSync(second, { recursive: true });
  if (status !== 1 || !/^There are two copies of mongoose: .*\n.*\n$/.test(stderr))
    throw new Error(`With a second Mongoose, ${path} exits with ${status} and: ${stderr}`);
}

try {
  npm('.', 'run', '--silent', 'build', '--workspace', 'packages/client');
  const workspaces = ['--include-workspace-root', ...WORKSPACES.map((path) => `--workspace=${path}`)];
  const packed = JSON.parse(
    npm('.', 'pack', '--json', '--ignore-scripts', '--pack-destination', directory, ...workspaces),
  );
  for (const { name, filename, entryCount, unpackedSize } of packed) {
    const faults = await faultsOf(join(directory, filename), join(directory, `unpacked-${name}`));
    for (const fault of faults) console.error(`${filename}: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
    const size = `${entryCount} files, ${(unpackedSize / 1024 / 1024).toFixed(1)} MiB`;
    console.log(`${filename}: ${size}, ${faults.length} faults`);
  }
  const clientTarball = join(directory, packed.find(({ name }) => name === 'avatar-chat-client').filename);
  const tarballs = packed.map(({ filename }) => join(directory, filename));
  const programs = readdirSync('examples').filter(
    (name) => existsSync(join('examples', name, 'package.json')) && name !== TEMPLATE,
  );
  for (const name of programs) {
    const copy = join(directory, name);
    cpSync(join('examples', name), copy, {
      recursive: true,
      filter: (source) => !/[\\/](node_modules|dist)$/.test(source),
    });
    // One example does without `overrides`: only the root project's apply, and a host may have none.
    if (name === 'express-host') editPackage(copy, (pkg) => delete pkg.overrides);
    npm(copy, 'install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', ...tarballs);
    npm(copy, 'run', '--silent', 'build');
    npm(copy, 'test', '--silent');
    await assertStarts(copy, PREFIXES[name] ?? '', (url) => {
      if (name === 'ratings') tryHook(join(directory, 'react'), clientTarball, url);
    });
    assertCopyRefused(copy);
    console.log(`${name}: installed, built, tested, started; refused with a second Mongoose`);
  }
  await testScaffold(join(directory, 'ratings'));
  if (!values.npm) testWithPnpm('ratings', packed);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
