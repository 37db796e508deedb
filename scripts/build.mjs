/** Builds the service. Prints its progress on standard error: on a busy machine it takes half a minute. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';

/** @param {string} directory */
const compile = (directory) =>
  `node_modules/typescript-native/bin/tsc --project ${directory}/tsconfig.build.json --outDir ${directory}/dist --noCheck`;
/** The programs that each step runs at the same time. `npm run check` checks types. */
const STEPS = new Map([
  [
    'packages and page',
    [compile('packages/embedded-mongo'), compile('packages/dialogue'), 'packages/widget/build.mjs dist/web'],
  ],
  ['service', ['scripts/compile-service.mjs']],
  ['programs', ['scripts/programs.mjs']],
]);

// Output of removed sources must not be packed.
for (const output of ['dist', 'packages/dialogue/dist', 'packages/embedded-mongo/dist'])
  rmSync(output, { recursive: true, force: true });

/** @param {number} since */
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
/** @param {string} program */
async function run(program) {
  // Standard output may be data that a command behind this build writes.
  const [code] = await once(spawn(process.execPath, program.split(' '), { stdio: ['ignore', 2, 'inherit'] }), 'exit');
  // The program has already printed the reason.
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

const began = performance.now();
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
process.stderr.write(`Built in ${seconds(began)}\n`);
