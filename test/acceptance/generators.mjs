/**
 * The OpenAPI document as its users' tools see it: the recommended rules of Redocly and Spectral, and three generators of
 * clients, whose output is compiled and takes a turn, also as a stream, a recording and a page with the service.
 *
 *   npm run verify -- generators [--install]
 *
 * Needs the npm registry and, for a client in Python, PyPI; --install only checks whether the tools are available.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { npmPackages, pythonPackages } from '../../scripts/cached.mjs';
import { aWav } from '../support/wav.mjs';
import { directory, Report, startService, tokenOf } from './harness.mjs';

const TOOLS = [
  '@redocly/cli@1.34.3',
  '@stoplight/spectral-cli@6.16.3',
  '@hey-api/openapi-ts@0.95.0',
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.14.0',
  'typescript@5.9.3',
];
const LIMIT_MS = 180_000;

const openapi = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const cache = npmPackages('generators', TOOLS);
const python = pythonPackages('generators-python', ['openapi-python-client==0.29.1']);
if (!cache) process.exit(1);
if (process.argv.includes('--install')) process.exit(0);

/** Runs a tool. @returns {string} what it printed if it failed, otherwise an empty text */
function faultsOf(command, ...args) {
  const { status, stdout, stderr } = spawnSync(join(String(cache), 'node_modules/.bin', command), args, {
    cwd: cache,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  return status === 0 && !/\bwarning/i.test(stdout) ? '' : `${stdout}${stderr}`.trim() || `exit code ${status}`;
}

copyFileSync(openapi, join(cache, 'openapi.json'));
writeFileSync(join(cache, '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
const report = new Report('npm run verify -- generators');
/** A row that shows the beginning of what went wrong. */
const row = (name, faults) => report.row(name, 'no faults', faults.slice(0, 2000) || 'none', faults === '');

row('Redocly, recommended rules', faultsOf('redocly', 'lint', 'openapi.json', '--extends=recommended'));
row('Spectral, rules for OpenAPI', faultsOf('spectral', 'lint', 'openapi.json', '--fail-severity=hint'));

execFileSync(
  join(cache, 'node_modules/.bin/openapi-ts'),
  ['-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'],
  {
    cwd: cache,
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
execFileSync(join(cache, 'node_modules/.bin/openapi-typescript'), ['openapi.json', '-o', 'types.ts'], {
  cwd: cache,
  stdio: ['ignore', 'ignore', 'inherit'],
});
// The names of the functions are those of the document's operations.
const { paths } = JSON.parse(readFileSync(openapi, 'utf8'));
const named = (operation) => operation.operationId.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
writeFileSync(
  join(cache, 'program.ts'),
  `import createClient from 'openapi-fetch';
import { client } from './hey/client.gen.js';
import { ${named(paths['/chat'].post)} as turn, ${named(paths['/chat#stream'].post)} as streamTurn, ${named(paths['/chat'].get)} as page } from './hey/sdk.gen.js';
import type { paths } from './types.js';

export async function run(baseUrl: string, token: string, recording: Blob): Promise<Record<string, string>> {
  client.setConfig({ baseUrl, auth: token });
  const body = { avatar_id: 'ada', request: 'Hello!' };
  const { data } = await turn({ body });
  const answer: string | undefined = data && 'incoming' in data ? data.incoming.answer : undefined;
  let events = '';
  const { stream } = await streamTurn({ body, headers: { Accept: 'text/event-stream' } });
  for await (const event of stream) events += JSON.stringify(event);
  const { data: history } = await page({ query: { user_id: 'user-1' } });
  const fetched = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${token}\` } });
  const other = await fetched.POST('/chat', { body });
  const form = new FormData();
  form.set('file', recording, 'hello.wav');
  for (const [name, value] of Object.entries(body)) form.set(name, value);
  const spoken = await fetched.POST('/chat', { body, bodySerializer: () => form });
  return {
    answer: answer ?? '',
    events,
    history: history?.payload[0]?._id ?? '',
    other: other.data && 'incoming' in other.data ? (other.data.incoming.answer ?? '') : '',
    recording: spoken.data?.outgoing.fileUrl ?? '',
  };
}
`,
);
const compile = [
  'program.ts',
  '--outDir',
  'built',
  '--module',
  'nodenext',
  '--target',
  'es2022',
  '--strict',
  '--skipLibCheck',
];
row('Generated clients, compiled', faultsOf('tsc', ...compile));

/** @param {Record<string, string>} seen what a client got, by its name */
const rowOf = (name, seen) => {
  const empty = Object.keys(seen).filter((key) => !seen[key]);
  row(`A turn, a recording and a page by ${name}`, empty.map((key) => `${key} is empty`).join(', '));
};
const service = await startService({ MONGODB_URI: 'embedded::memory:', LOG_LEVEL: 'error' });
try {
  const wav = aWav(8000, 8000, (n) => 8000 * Math.sin(n / 3));
  const [url, token] = [`http://127.0.0.1:${service.port}`, await tokenOf(service.port, 'user-1')];
  const { run } = await import(pathToFileURL(join(cache, 'built/program.js')).href);
  rowOf('the generated clients of TypeScript, also as a stream', await run(url, token, new Blob([wav])));
  if (python) {
    const programs = join(python, 'bin');
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, PYTHONPATH: directory };
    // It knows no SDP: offers and answers are read as bytes.
    const config = join(directory, 'config.json');
    writeFileSync(
      config,
      JSON.stringify({ content_type_overrides: { 'application/sdp': 'application/octet-stream' } }),
    );
    const output = ['--meta', 'none', '--output-path', join(directory, 'chat_api')];
    const generate = ['generate', '--path', openapi, '--config', config, ...output];
    const made = spawnSync(join(programs, 'openapi-python-client'), generate, { encoding: 'utf8', env });
    row(
      'openapi-python-client',
      made.status === 0 && !/warning/i.test(made.stdout + made.stderr) ? '' : made.stdout + made.stderr,
    );
    writeFileSync(join(directory, 'hello.wav'), wav);
    const program = fileURLToPath(new URL('generators.py', import.meta.url));
    const taken = spawnSync(join(programs, 'python'), [program, url, token, join(directory, 'hello.wav')], {
      encoding: 'utf8',
      env,
    });
    if (taken.status === 0) rowOf('the generated client of Python', JSON.parse(taken.stdout));
    else row('The generated client of Python', taken.stderr.slice(-2000));
  }
} finally {
  await service.stop();
}
report.end();
