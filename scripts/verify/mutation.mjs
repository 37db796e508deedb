/**
 * Changes src/auth and src/chat in one place at a time, and asks whether a test fails: Stryker on the tests that
 * `test/mutation` names, on an embedded store. Takes hours on two cores; a part of it is to be had with --mutate.
 *
 *   npm run verify:mutation -- [--room auth|chat] [--mutate src/chat/turn.places.ts,…] [--concurrency 2]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Report, startDatabase } from './harness.mjs';

const TARGET = 85;
const REPORT = '.cache/mutation.json';
const { values } = parseArgs({
  options: { room: { type: 'string' }, mutate: { type: 'string' }, concurrency: { type: 'string', default: '2' } },
});
const report = new Report('npm run verify:mutation');
const { found } = await startDatabase();
const servers = JSON.stringify([{ name: 'embedded-mongo', uri: found[0] }]);

for (const room of values.room ? [values.room] : ['auth', 'chat']) {
  const mutate = values.mutate ?? `src/${room}/*.ts,!src/**/*.spec.ts`;
  spawnSync(
    process.execPath,
    ['node_modules/.bin/stryker', 'run', '--mutate', mutate, '--concurrency', values.concurrency],
    { env: { ...process.env, E2E_SERVERS: servers, MUTATION_ROOM: room }, stdio: 'inherit' },
  );
  const mutants = Object.values(JSON.parse(readFileSync(REPORT, 'utf8')).files).flatMap((file) => file.mutants);
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
