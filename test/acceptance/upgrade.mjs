/**
 * Data of an earlier version under this one: builds it in .cache/upgrade, has it store everything that it can, and compares
 * what both read, with the same tokens.
 *
 *   npm run verify -- upgrade [--from REF]
 *
 * REF is the newest tag by default; in a clone without tags, the newest commit that `npm run release` made.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseArgs } from '../../scripts/arguments.mjs';
import { ask, directory, launch, launchService, LISTENING, printed, Report, tokenOf, untilReady } from './harness.mjs';

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const git = (...args) => spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
const released = () => git('log', '-1', '--format=%h', '--grep=^Release [0-9.]*$');
const from = values.from ?? (git('describe', '--tags', '--abbrev=0') || released());
if (!from) {
  console.log('There is no release yet. --from REF names the commit whose data are taken.');
  process.exit(1);
}
const commit = git('rev-parse', '--short', `${from}^{commit}`);
const place = resolve('.cache/upgrade', commit);
if (!existsSync(join(place, 'built'))) {
  if (!existsSync(place)) {
    mkdirSync('.cache/upgrade', { recursive: true });
    execFileSync('git', ['worktree', 'add', '--detach', place, commit], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const options = { cwd: place, stdio: /** @type {any} */ (['ignore', 'ignore', 'inherit']) };
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'], options);
  execFileSync('npm', ['run', '--silent', 'build'], options);
  writeFileSync(join(place, 'built'), '');
}

const ADMIN_KEY = 'k'.repeat(40);
const env = {
  PORT: '0',
  DATA_DIR: join(directory, 'data'),
  LOG_LEVEL: 'silent',
  JWT_SECRET: 's'.repeat(40),
  ADMIN_KEY,
};
const report = new Report('npm run verify -- upgrade');
const portOf = async (running) => Number(new URL((await printed(running, LISTENING))[1]).port);

/** Stores some of everything. @returns the requests whose responses show it */
async function store(port) {
  const token = await tokenOf(port);
  const send = (path, body, method = 'POST', by = token) => ask(port, path, { method, token: by, body });
  const connected = await ask(port, '/connection', { token });
  const turns = [];
  for (const body of [
    { request: 'Hello, who are you?' },
    { request: 'How far away is the moon?', session: connected.body.session },
    { request: 'Say something.', chat_type: 'voice' },
    { request: 'Wie weit ist der Mond?', language_code: 'de' },
  ])
    turns.push(await send('/chat', { avatar_id: 'ada', ...body }));
  const ids = turns.map(({ body }) => body.incoming._id);
  await send(`/messages/${ids[0]}/rating`, { rating: 'up' }, 'PUT');
  const form = new FormData();
  form.set('file', new Blob(['# Returns\n\nYou may return an article within forty days of delivery.\n']), 'returns.md');
  const documents = `/admin/knowledge/handbook/documents?project_id=default`;
  const base = `http://127.0.0.1:${port}`;
  const added = await fetch(base + documents, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  });
  if (!added.ok) console.log(`A document was answered with ${added.status}`);
  const own = ['/connection', '/chat?user_id=ann&per_page=100', '/memories', `/messages/ratings?ids=${ids}`];
  const admin = ['/admin/projects', '/admin/projects/default', documents, '/admin/users?project_id=default'];
  const search = '/admin/knowledge/handbook/search?project_id=default&q=return';
  return [
    ...[...own, ...ids.map((id) => `/messages/${id}/sources`)].map((path) => [path, token]),
    ...[...admin, search].map((path) => [path, ADMIN_KEY]),
    [turns[2].body.incoming.fileUrl.replace(/^https?:\/\/[^/]+/, ''), undefined],
  ];
}

/** The responses to requests by their paths, without what differs from one request to the next. */
async function read(port, requests) {
  const seen = {};
  for (const [path, token] of requests) {
    const { status, body, text = '' } = await ask(port, path, { token });
    const stable = JSON.parse(
      JSON.stringify(body ?? text.length, (key, value) =>
        ['session', 'request_id', 'score', 'last_active'].includes(key) || /^https?:\/\/127/.test(value)
          ? undefined
          : value,
      ),
    );
    seen[path] = { status, body: stable };
  }
  return seen;
}

/** Where a value lacks or changes something of another; further fields are allowed. */
function differences(before, after, at = '') {
  if (typeof before !== 'object' || before === null || typeof after !== 'object' || after === null)
    return isDeepStrictEqual(before, after) ? [] : [`${at}: ${JSON.stringify(before)}, then ${JSON.stringify(after)}`];
  if (Array.isArray(before) && before.length !== after.length) return [`${at}: ${before.length}, then ${after.length}`];
  return Object.keys(before).flatMap((key) => differences(before[key], after[key], `${at}.${key}`));
}

const older = launch(process.execPath, ['dist/programs/main.js'], { env, cwd: place, stderr: 'inherit' });
const oldPort = await portOf(older);
await untilReady(oldPort);
const requests = await store(oldPort);
const before = await read(oldPort, requests);
await older.stop();

const service = launchService(env);
const port = await portOf(service);
await untilReady(port);
const after = await read(port, requests);
for (const path of Object.keys(before)) {
  const found = differences(before[path], after[path]);
  const what = `${path.replace(/[0-9a-f]{24}(,[0-9a-f]{24})*/g, 'ID').slice(0, 60)}, ${before[path].status}`;
  report.row(`${what}, after ${from}`, 'the same', found.slice(0, 3).join('; ') || 'the same', found.length === 0);
}
const turn = await ask(port, '/chat', {
  method: 'POST',
  token: await tokenOf(port),
  body: { avatar_id: 'ada', request: 'Hello' },
});
report.row('A turn on the old data', 201, turn.status, turn.status === 201);
await service.stop();
report.end();
