/**
 * Schemathesis (PyPI) sends requests that the OpenAPI document allows, and some that it does not, and
 * checks each response against the document. Once without a token, and once with one and with existing resources.
 *
 *   npm run verify -- openapi [--cases 6000] [--seed N] [--install]
 *
 * openapi.py beside this file lists which failures are accepted and why. Needs python3 and PyPI; --install only checks
 * whether they are available.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from '../../scripts/arguments.mjs';
import { pythonPackages } from '../../scripts/cached.mjs';
import { ask, directory, Report, startService, tokenOf } from './harness.mjs';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '6000' },
    seed: { type: 'string' },
    install: { type: 'boolean', default: false },
  },
});
const wanted = Number(values.cases);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e9));

const hooks = fileURLToPath(new URL('openapi.py', import.meta.url));

const venv = pythonPackages('schemathesis', ['schemathesis==4.32.5']);
if (!venv) process.exit(1);
if (values.install) process.exit(0);

/** Creates resources, and returns their names by parameter. */
async function furnish(port, token) {
  const say = (body) => ask(port, '/chat', { method: 'POST', token, body: { avatar_id: 'ada', ...body } });
  for (const request of ['Hello', 'How far is the moon?']) await say({ request });
  const spoken = await say({ request: 'Say something.', chat_type: 'voice' });
  const { outgoing, incoming } = spoken.body;
  if (!incoming.fileUrl) throw new Error('The answer has no sound; are the optional dependencies installed?');
  const file = new URL(incoming.fileUrl);
  const { body } = await ask(port, '/connection', { token });
  return {
    'GET /chat': { 'query.user_id': ['user-1'], 'query.before': [outgoing._id, incoming._id] },
    'POST /chat': {
      'body.avatar_id': ['ada', 'no-such-avatar'],
      'body.language_code': ['en', 'fr'],
      'body.session': [body.session],
    },
    ...Object.fromEntries(
      ['GET /speech/greeting', 'GET /suggestions'].map((name) => [
        name,
        { 'query.avatar_id': ['ada', 'no-such-avatar'], 'query.language_code': ['en', 'fr'] },
      ]),
    ),
    ...Object.fromEntries(
      ['GET /files/{file_id}', 'GET /files/{file_id}/details', 'GET /files/{file_id}/sound'].map((name) => [
        name,
        {
          'path.file_id': [file.pathname.split('/').at(-1)],
          'query.expires': [file.searchParams.get('expires')],
          'query.signature': [file.searchParams.get('signature')],
        },
      ]),
    ),
  };
}

/** How the service rejects a request that does not match the document. A body over the byte limit is rejected unread: 413. */
const REFUSALS = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, '5xx'];

/** Schemathesis' settings: nine out of ten parameter values name an existing resource. */
function settings(things) {
  const checks = `[checks.negative_data_rejection]\nexpected-statuses = ${JSON.stringify(REFUSALS)}`;
  const dictionaries = [];
  const operations = Object.entries(things).map(([name, parameters]) => {
    const lines = Object.entries(parameters).map(([parameter, known]) => {
      const dictionary = `d${dictionaries.length}`;
      dictionaries.push(`[dictionaries.${dictionary}]\nvalues = ${JSON.stringify(known)}`);
      return `${JSON.stringify(parameter)} = { dictionary = "${dictionary}", probability = 0.9 }`;
    });
    return `[[operations]]\ninclude-name = ${JSON.stringify(name)}\n[operations.parameters]\n${lines.join('\n')}`;
  });
  return [checks, ...dictionaries, ...operations].join('\n\n');
}

const report = new Report(`npm run verify -- openapi --seed ${seed}`);
const errors = [];
const service = await startService({ MONGODB_URI: 'embedded::memory:', LOG_LEVEL: 'error' }, (line) => {
  if (line.startsWith('{')) errors.push(line);
});
const { port } = service;
const token = await tokenOf(port, 'user-1');
const things = await furnish(port, token);

// Without a token little can happen, so a third of the cases is enough.
let cases = 0;
for (const { name, headers, config, examples } of [
  { name: 'without a token', headers: [], config: {}, examples: wanted / 36 },
  {
    name: 'with a token',
    headers: ['--header', `Authorization: Bearer ${token}`],
    config: things,
    examples: wanted / 12,
  },
]) {
  const [file, json] = [join(directory, 'schemathesis.toml'), join(directory, 'schemathesis.json')];
  writeFileSync(file, settings(config));
  // A path with a fragment describes another format of the same requests; a stream of events has no end. The service
  // answers within 30 s, however busy the machine is.
  const given =
    `--config-file ${file} run http://127.0.0.1:${port}/docs-json --checks all --continue-on-failure --exclude-path-regex (#stream|/events)$
    --max-examples ${Math.ceil(examples)} --seed ${seed} --generation-database none --request-timeout 40 --max-response-time 40
    --report json --report-json-path ${json} --warnings off --no-color`.split(/\s+/);
  const schemathesis = spawn(join(venv, 'bin/schemathesis'), [...given, ...headers], {
    cwd: directory,
    env: { ...process.env, SCHEMATHESIS_HOOKS: hooks },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status] = await once(schemathesis, 'exit');
  const { test_cases, errors: broken, filtered } = JSON.parse(readFileSync(json, 'utf8'));
  const faults = test_cases.unique_failures + broken.length;
  cases += test_cases.generated;
  const seen = `${test_cases.generated} cases: ${faults} failures, ${filtered} refusals by rules that a schema cannot state`;
  report.row(`The OpenAPI document, ${name}`, '0 failures', seen, status === 0 && faults === 0);
}
report.row('Both', `${values.cases} cases`, `${cases} cases`, cases >= wanted);
const alive = (await ask(port, '/health/ready')).status;
report.row(
  'The service afterwards',
  'ready, no error logged',
  `${alive}, ${errors.length}`,
  alive === 200 && !errors.length,
);
await service.stop();
report.end();
