/**
 * Sends long hostile values in every header, parameter, field and multipart part of every route, and measures the processor
 * time that each value costs.
 *
 *   npm run verify -- hostile [--each 30] [--bound 20] [--attempts 15]
 *
 * --each: values per location; --bound: milliseconds of processor time, the minimum over --attempts attempts.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from '../../scripts/arguments.mjs';
import { extraTime, hostileRequests } from '../support/hostile-requests.mjs';
import { directory, Report } from './harness.mjs';

const { values } = parseArgs({
  options: {
    each: { type: 'string', default: '30' },
    bound: { type: 'string', default: '20' },
    attempts: { type: 'string', default: '15' },
  },
});
const [each, bound, attempts] = [values.each, values.bound, values.attempts].map(Number);
const adminKey = randomBytes(32).toString('hex');
Object.assign(process.env, {
  MONGODB_URI: 'embedded::memory:',
  DATA_DIR: directory,
  JWT_SECRET: randomBytes(32).toString('hex'),
  ADMIN_KEY: adminKey,
  LOG_LEVEL: 'fatal',
});
const { AuthService, createApp, Owner } = await import('../../dist/index.js');
const app = await createApp();
await app.init();
await app.getHttpAdapter().getInstance().ready();
for (const end = Date.now() + 60_000; Date.now() < end; await setTimeout(100))
  if ((await app.inject('/health/ready')).statusCode === 200) break;
const token = app.get(AuthService).sign(new Owner('default', 'ann'));
const sample = {
  user_id: 'ann',
  project_id: 'default',
  avatar_id: 'ada',
  request: 'Hello',
  chat_type: 'text',
  language_code: 'en',
};
const openapi = JSON.parse(readFileSync('openapi.json', 'utf8'));
const inject = (request) => app.inject(request);

const report = new Report('npm run verify -- hostile');
let count = 0;
let slowest = { time: 0, name: '' };
const slow = new Map();
// Warm up the JIT compiler.
for (const { request } of hostileRequests(openapi, { token, adminKey, sample, each: 2 })) await inject(request);
for (const tried of hostileRequests(openapi, { token, adminKey, sample, each })) {
  const { name } = tried;
  const time = await extraTime(inject, tried, bound, attempts);
  count++;
  if (time > slowest.time) slowest = { time, name };
  if (time > bound) slow.set(name, Math.max(time, slow.get(name) ?? 0));
}
for (const [name, time] of slow) console.log(`${time.toFixed(0)} ms: ${name}`);
report.row(
  'Processor time of a long hostile value in a request',
  `${bound} ms`,
  `${count} requests, the slowest ${slowest.time.toFixed(0)} ms (${slowest.name})`,
  slow.size === 0,
);
await app.close();
report.end();
