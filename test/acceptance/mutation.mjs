/**
 * Changes src/auth and src/chat in one place at a time, and checks that a test fails: Stryker on the tests that
 * `test/mutation` names, with an embedded store. Takes more than an hour on two cores; --part and --mutate
 * select a part of it.
 *
 *   npm run verify -- mutation [--part auth|chat|history] [--mutate src/chat/turns/turn.slots.ts,…] [--concurrency 2]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from '../../scripts/arguments.mjs';
import { Report, startDatabase } from './harness.mjs';

const TARGET = 85;
/** The mutated files, by the name of their tests in `test/mutation`. The code that serializes history needs no running service. */
const PARTS = {
  auth: 'src/auth/*.ts,!src/**/*.spec.ts',
  history: 'src/chat/history/history.json.ts',
  chat: 'src/chat/**/*.ts,!src/**/*.spec.ts,!src/chat/history/history.json.ts',
};
const { values } = parseArgs({
  options: { part: { type: 'string' }, mutate: { type: 'string' }, concurrency: { type: 'string', default: '2' } },
});
const report = new Report('npm run verify -- mutation');
const { uri } = await startDatabase();
const servers = JSON.stringify([{ name: 'embedded-mongo', uri }]);

for (const part of values.part ? [values.part] : Object.keys(PARTS)) {
  const mutate = values.mutate ?? PARTS[part];
  const file = `.cache/mutation-${part}.json`;
  rmSync(file, { force: true });
  spawnSync(
    process.execPath,
    [
      'node_modules/.bin/stryker',
      'run',
      'config/stryker.config.mjs',
      '--mutate',
      mutate,
      '--concurrency',
      values.concurrency,
    ],
    { env: { ...process.env, E2E_SERVERS: servers, MUTATION_PART: part }, stdio: 'inherit' },
  );
  const mutants = Object.values(JSON.parse(readFileSync(file, 'utf8')).files).flatMap((file) => file.mutants);
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const detected = count('Killed', 'Timeout');
  const valid = detected + count('Survived', 'NoCoverage');
  const score = (100 * detected) / valid;
  const left = `${count('Survived')} survived, ${count('NoCoverage')} in no test's way, ${count('Ignored')} left out`;
  report.row(
    `Mutants of ${mutate} that a test finds`,
    `≥ ${TARGET} %`,
    `${score.toFixed(1)} %: ${detected} of ${valid}; ${left}`,
    score >= TARGET,
  );
}
report.end();
