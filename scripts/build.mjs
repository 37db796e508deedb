/** Builds the service. Prints its progress on standard error: on a busy machine it takes most of a minute. */
import { execSync } from 'node:child_process';
import { rmSync } from 'node:fs';

const STEPS = [
  ['embedded store', 'npm run --silent build --workspace packages/embedded-mongo'],
  ['dialogue', 'npm run --silent build --workspace packages/dialogue'],
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
