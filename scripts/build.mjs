/**
 * Builds the service. Prints its progress on standard error: on a busy machine it takes half a minute. Files are written
 * over those of the last build, since running processes load some only when they need them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** @param {string} directory */
const compile = (directory) =>
  `node_modules/typescript-native/bin/tsc --project ${directory}/tsconfig.build.json --outDir ${directory}/dist --noCheck`;
/** What the service imports from this repository. */
const PACKAGES = [
  'packages/catalogue',
  'packages/embedded-mongo',
  'packages/dialogue',
  'packages/errors',
  'packages/knowledge',
  'packages/runtime',
  'packages/webrtc',
];
/** The same for packages that import those, after those that they import. */
const LATER_PACKAGES = [
  ['packages/settings', 'packages/media'],
  ['packages/model-files', 'packages/video'],
  ['packages/models', 'packages/command-line'],
  ['packages/realtime'],
];
/** The programs that each step runs at the same time. `npm run check` checks types. */
const STEPS = new Map([
  [
    'packages and page',
    [...PACKAGES.map(compile), 'packages/widget/build.mjs dist/web', 'packages/console/build.mjs dist/web/console'],
  ],
  ...LATER_PACKAGES.map((names) => /** @type {const} */ ([names.join(' and '), names.map(compile)])),
  ['service', ['scripts/compile-service.mjs']],
  ['programs', ['scripts/programs.mjs']],
]);

const OUTPUTS = ['dist', ...[...PACKAGES, ...LATER_PACKAGES.flat()].map((directory) => `${directory}/dist`)];
/** Its names change with the content, so processes that still run need those of earlier builds. It is not packed. */
const PROGRAMS = join('dist', 'programs');
const PROGRAMS_KEPT_MS = 7 * 86_400_000;

/**
 * Output of removed sources must not be packed.
 *
 * @param {number} began when this build did, in Unix milliseconds
 */
function removeOld(began) {
  for (const output of OUTPUTS)
    for (const name of readdirSync(output, { recursive: true, encoding: 'utf8' })) {
      const path = join(output, name);
      const state = statSync(path);
      const oldest = path.startsWith(PROGRAMS) ? began - PROGRAMS_KEPT_MS : began;
      if (state.isFile() && state.mtimeMs < oldest) rmSync(path);
    }
}

/** @param {number} since */
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
/** @param {string} program */
async function run(program) {
  // Standard output may be data that a command behind this build writes.
  const [code] = await once(spawn(process.execPath, program.split(' '), { stdio: ['ignore', 2, 'inherit'] }), 'exit');
  // The program has already printed the reason.
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

const [began, date] = [performance.now(), Date.now()];
for (const [index, [name, programs]] of [...STEPS].entries()) {
  const start = performance.now();
  process.stderr.write(`Building ${index + 1}/${STEPS.size}: ${name} …`);
  try {
    await Promise.all(programs.map(run));
  } catch {
    process.stderr.write('\n');
    process.exit(1);
  }
  process.stderr.write(` ${seconds(start)}\n`);
}
removeOld(date);
process.stderr.write(`Built in ${seconds(began)}\n`);
