/** Builds the service. Prints its progress on standard error: on a busy machine it takes most of a minute. */
import { execSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** The native compiler writes the same in a sixth of the time; it cannot run the plugins that `nest build` needs. */
const compile = (directory) =>
  `node node_modules/typescript-native/bin/tsc --project ${directory}/tsconfig.build.json --outDir ${directory}/dist`;
const STEPS = [
  ['embedded store', compile('packages/embedded-mongo')],
  ['dialogue', compile('packages/dialogue')],
  ['service', 'nest build'],
  ['programs', 'node scripts/programs.mjs'],
  ['page and widget', 'node packages/widget/build.mjs dist/web'],
];

// Output of removed sources must not be packed.
for (const output of ['dist', 'packages/dialogue/dist', 'packages/embedded-mongo/dist'])
  rmSync(output, { recursive: true, force: true });
const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const began = performance.now();
for (const [index, [name, command]] of STEPS.entries()) {
  const start = performance.now();
  process.stderr.write(`Building ${index + 1}/${STEPS.length}: ${name} …`);
  try {
    execSync(command, { stdio: ['ignore', 'inherit', 'inherit'] });
  } catch (error) {
    process.stderr.write('\n');
    // The command has already printed the reason.
    process.exit(/** @type {{ status?: number | null }} */ (error).status || 1);
  }
  process.stderr.write(` ${seconds(start)}\n`);
}
process.stderr.write(`Built in ${seconds(began)}\n`);
