/**
 * Changes the secret of two processes on one database as in docs/operations.md, restarting one at a time. After each
 * restart, tries every token issued so far, and the URL of a spoken answer, on both.
 *
 *   npm run verify -- rotation
 */
import { randomBytes } from 'node:crypto';
import { ask, Report, startDatabase, startService, tokenOf } from './harness.mjs';

const report = new Report('npm run verify -- rotation');
const database = await startDatabase();
const [before, after] = ['', ''].map(() => randomBytes(32).toString('hex'));
const steps = [
  { JWT_SECRET: before },
  { JWT_SECRET: before, JWT_PREVIOUS_SECRETS: after },
  { JWT_SECRET: after, JWT_PREVIOUS_SECRETS: before },
  { JWT_SECRET: after },
];
const LAST = steps.length - 1;
const services = [];
const steppedTo = [];
/** Each with the secret that signed it. */
const tokens = [];
const seen = { tried: 0, refused: 0, left: 0, accepted: 0, files: 0, lost: 0 };
let url;

for (const [step, secrets] of steps.entries()) {
  for (const which of [0, 1]) {
    await services[which]?.stop();
    services[which] = await startService({ ...secrets, MONGODB_URI: database.uri, LOG_LEVEL: 'fatal' });
    steppedTo[which] = step;
    const running = services.filter(Boolean);
    for (const [n, { port }] of running.entries())
      tokens.push({ token: await tokenOf(port), secret: steps[steppedTo[n]].JWT_SECRET });
    url ??= await spokenAnswer(services[0].port, tokens[0].token);
    for (const [n, { port }] of running.entries()) {
      for (const { token, secret } of tokens) {
        const { status } = await ask(port, '/chat?user_id=ann&per_page=1', { token });
        if (steppedTo[n] === LAST && secret === before) {
          seen.left++;
          if (status !== 401) seen.accepted++;
        } else {
          seen.tried++;
          if (status !== 200) seen.refused++;
        }
      }
      if (steppedTo[n] === LAST) continue;
      seen.files++;
      if ((await ask(port, url)).status !== 200) seen.lost++;
    }
  }
}
await Promise.all(services.map(({ stop }) => stop()));
await database.stop();

async function spokenAnswer(port, token) {
  const body = { avatar_id: 'ada', request: 'Hello!', chat_type: 'voice' };
  const { body: turn } = await ask(port, '/chat', { method: 'POST', token, body });
  const { pathname, search } = new URL(turn.incoming.fileUrl);
  return pathname + search;
}

const { tried, refused, left, accepted, files, lost } = seen;
report.row(
  'Tokens refused while the secret is changed in steps, by either process',
  0,
  `${refused} of ${tried}`,
  refused === 0,
);
report.row('URLs of files refused meanwhile', 0, `${lost} of ${files}`, lost === 0);
report.row(
  'Tokens of the former secret accepted once it is left out',
  0,
  `${accepted} of ${left}`,
  accepted === 0 && left > 0,
);
report.end();
