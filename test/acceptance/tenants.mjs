/**
 * 8 projects with 12 users each. In every pair, one user tries to access the other's data: by name, by message, by
 * session, by file URL and by idempotency key. This is the full-size run of `test/e2e/tenants.e2e-spec.ts`.
 *
 *   npm run verify -- tenants [--projects 8] [--users 12]
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from '../../scripts/arguments.mjs';
import { directory, Report } from './harness.mjs';

const { values } = parseArgs({
  options: { projects: { type: 'string', default: '8' }, users: { type: 'string', default: '12' } },
});
const [projects, users] = [values.projects, values.users].map(Number);
const report = new Report('npm run verify -- tenants');
const results = join(directory, 'jest.json');
const jest = ['node_modules/jest/bin/jest.js', 'test/e2e/tenants', '--json', `--outputFile=${results}`];
const started = Date.now();
const { status } = spawnSync(process.execPath, jest, {
  env: { ...process.env, TENANTS: `${projects}x${users}` },
  stdio: ['ignore', 'ignore', 'inherit'],
});
const { numPassedTests, numTotalTests } = JSON.parse(readFileSync(results, 'utf8'));

const tenants = projects * users;
const pairs = tenants * (tenants - 1);
const seconds = ((Date.now() - started) / 1000).toFixed(0);
report.row(
  `${projects} projects × ${users} users, every one and what every other one has`,
  'all tests passed',
  `${pairs} pairs, ${4 * pairs} attempts in ${seconds} s: ${numPassedTests} of ${numTotalTests} tests passed`,
  status === 0 && numPassedTests === numTotalTests,
);
report.end();
