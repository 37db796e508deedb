/**
 * "403 means a token that is valid in every way but expired, and nothing else", over tokens derived from valid
 * ones: half by edits of their text, half signed with claims and times of all kinds.
 *
 *   npm run verify -- tokens [--runs 100000] [--http 2000] [--seed N]
 *
 * Runs in process, then over HTTP. Prints the smallest counter-example that it can find.
 */
import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { parseArgs } from '../../scripts/arguments.mjs';
import { editedTokens, expiredTwin, PROBE, signedTokens, verdict } from '../support/forged-tokens.mjs';
import { ask, directory, keepAlive, Report } from './harness.mjs';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    http: { type: 'string', default: '2000' },
    seed: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));
/** Seconds that each half may take, because the clock keeps running. */
const BLUR = 1800;

const secret = randomBytes(32).toString('hex');
Object.assign(process.env, {
  MONGODB_URI: 'embedded::memory:',
  DATA_DIR: directory,
  JWT_SECRET: secret,
  LOG_LEVEL: 'fatal',
});
const { AuthService, createApp } = await import('../../dist/index.js');
const app = await createApp();
await app.listen(0, '127.0.0.1');
for (const end = Date.now() + 60_000; Date.now() < end; await delay(100))
  if ((await app.inject('/health/ready')).statusCode === 200) break;
const { port } = /** @type {import('node:net').AddressInfo} */ (app.getHttpServer().address());
const agent = keepAlive();
const report = new Report(`npm run verify -- tokens --seed ${seed}`);

async function inProcess(token) {
  await setImmediate(); // Without this, requests would starve the event loop, and the database would seem unavailable.
  const answer = await app.inject({ url: PROBE, headers: { authorization: `Bearer ${token}` } });
  return verdict(answer.statusCode, answer.json().error);
}

async function overHttp(token) {
  const { status, body } = await ask(port, PROBE, { headers: { authorization: `Bearer ${token}` }, agent });
  return verdict(status, body?.error);
}

async function verify(name, ask, count) {
  const now = Math.floor(Date.now() / 1000);
  const token = await app.get(AuthService).issue('ann');
  const expired = expiredTwin(token, secret);
  const tokens = [fc.oneof(editedTokens(token), editedTokens(expired)), signedTokens(token, secret, now, BLUR)];
  const tally = {};
  const started = Date.now();
  for (const each of tokens) {
    const property = fc.asyncProperty(each, async ({ token, expected }) => {
      const said = await ask(token);
      tally[said] = (tally[said] ?? 0) + 1;
      if (said !== expected) throw new Error(`expected ${expected}, was told ${said}`);
    });
    await fc.assert(property, { numRuns: Math.ceil(count / 2), seed });
  }
  const seconds = (Date.now() - started) / 1000;
  if (seconds > BLUR)
    throw new Error(`took longer than ${BLUR} s: the times in tokens were not what they were meant to be`);
  const said = Object.entries(tally).map(([what, times]) => `${times} ${what}`);
  const seen = `0, in ${seconds.toFixed(0)} s: ${said.join(', ')}`;
  report.row(`Counter-examples to "403 is a good token expired", ${name}`, `0 of ${count} tokens`, seen);
}

try {
  await verify('in process', inProcess, Number(values.runs));
  await verify('over HTTP', overHttp, Number(values.http));
} catch (error) {
  console.log(error instanceof Error ? error.message : error);
  report.row('Counter-examples', '0', 'the one above', false);
}
agent.destroy();
await app.close();
report.end();
