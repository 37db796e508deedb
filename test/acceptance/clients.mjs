/**
 * Clients of OpenAI Realtime, each by its own default configuration, in real conversations with the service: typed and spoken
 * turns, transcripts, an interruption, a tool, histories and a new connection. The Python ones are installed from PyPI into
 * .cache/clients; what cannot be had is left out, visibly.
 *
 *   npm run verify -- clients [--only NAME,…] [--write | --turns]
 *
 * --turns instead lets the pipelines of Pipecat and LiveKit, and a WebSocket client, say the same ten utterances, with a call
 * of a function and an interruption, and compares when they hear the first sound, and the stages of the answers. --write replaces the table in docs/live.md. MODELS_DIR may name a directory with the speech recognition model.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseArgs } from '../../scripts/arguments.mjs';
import { npmPackages, pythonPackages } from '../../scripts/cached.mjs';
import { formatted } from '../../scripts/formatted.mjs';
import { ask, directory, metric, Report, tokenOf } from './harness.mjs';
import { talkByWebSocket } from './clients/websocket_turns.mjs';
import { installModel, startWithModel } from './live/measure.mjs';
import { ms, percentile } from './live/stages.mjs';
import { asked } from './live/utterances.mjs';

const STEPS = [
  'connect',
  'greeting',
  'typed turn',
  'spoken turn',
  'transcript',
  'interruption',
  'answer to it',
  'tool',
  'history',
  'reconnect',
  'types of events',
];
/**
 * Programs in clients/, with the packages that they need: of PyPI, of npm (`cached`), or of the project (`npm`).
 *
 * @typedef {{ name: string, program: string, npm?: string, pypi?: string[], cached?: string[] }} Client
 * @type {Client[]}
 */
const CLIENTS = [
  { name: 'openai (Node)', program: 'openai_node.mjs', cached: ['openai@7.59.0', 'ws@8.23.0'] },
  { name: 'openai (Node)', program: 'openai_node.mjs', npm: 'openai' },
  { name: '@openai/agents-realtime', program: 'agents_node.mjs', npm: '@openai/agents-realtime' },
  { name: 'openai (Python)', program: 'openai_python.py', pypi: ['openai[realtime]==3.57.0'] },
  { name: 'openai-agents (Python)', program: 'openai_agents.py', pypi: ['openai-agents[voice]==0.24.0'] },
  { name: 'Pipecat', program: 'pipecat_pipeline.py', pypi: ['pipecat-ai[openai]==1.14.0'] },
  { name: 'Pipecat', program: 'pipecat_pipeline.py', pypi: ['pipecat-ai[openai]==1.13.0'] },
  {
    name: 'LiveKit Agents',
    program: 'livekit_agents.py',
    pypi: ['livekit-plugins-openai==1.8.9', 'livekit-agents==1.8.9'],
  },
  { name: 'Strands Agents', program: 'strands_agent.py', pypi: ['strands-agents[bidi-openai]==1.62.0'] },
  { name: 'AgentScope', program: 'agentscope_agent.py', pypi: ['agentscope==2.0.11', 'websockets==17.4'] },
  { name: 'Vercel AI SDK', program: 'vercel_ai.mjs', cached: ['ai@7.0.173', '@ai-sdk/openai@4.0.118', 'zod@4.6.7'] },
];
/** What is said in ten turns: the one after `long` interrupts its answer. */
const TURNS = {
  hello: 'Hello, how are you today?',
  moon: 'How far away is the moon?',
  weather: 'What is the weather in Paris?',
  sky: 'Why is the sky blue?',
  long: 'Please say something long.',
  stop: 'Stop please, I have another question.',
  hole: 'What is a black hole?',
  thanks: 'Thank you very much, that was really helpful.',
  joke: 'Can you tell me a joke?',
  bye: 'That is all for today, thank you very much.',
};
/** Stages of an answer, and their names in the metrics. */
const STAGES = /** @type {const} */ ([
  ['silence', 'end_of_turn'],
  ['transcript', 'transcription'],
  ['first sentence', 'first_sentence'],
  ['sound', 'first_sound'],
  ['in all', 'end_to_end'],
]);
const IN_TURNS = ['pipecat_pipeline.py', 'livekit_agents.py'];
const RUN_LIMIT_MS = 120_000;
const TURNS_LIMIT_MS = 300_000;
const PAGE = 'docs/live.md';
const [BEGIN, END] = ['<!-- Written by npm run verify -- clients --write -->\n', '<!-- To here -->\n'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
    turns: { type: 'boolean', default: false },
  },
});
const programs = fileURLToPath(new URL('clients', import.meta.url));
const run = promisify(execFile);

const versionOf = (/** @type {Client} */ { npm, pypi, cached = pypi }) =>
  npm
    ? JSON.parse(readFileSync(`node_modules/${npm}/package.json`, 'utf8')).version
    : /** @type {string[]} */ (cached)[0].split(/==|@/)[1];

/**
 * Installs the packages of a client.
 *
 * @param {Client} client
 * @returns {string | undefined} their directory; undefined if they cannot be had
 */
function packagesOf({ npm, pypi, cached = pypi }) {
  if (npm || !cached) return '.';
  const name = join('clients', cached[0].replace(/[^\w.-]+/g, '-'));
  return pypi ? pythonPackages(name, pypi) : npmPackages(name, cached);
}

const titleOf = (client) => `${client.name} ${versionOf(client)}`;

/** Speech for the programs. */
async function saySounds() {
  /** @type {Record<string, import('./live/utterances.mjs').Utterance>} */
  const said = {};
  for (const [name, words] of Object.entries(TURNS)) {
    const { samples } = (said[name] = await asked(words));
    writeFileSync(
      join(directory, `${name}.pcm`),
      new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength),
    );
  }
  return said;
}

/** Sum in seconds, and number, of each stage of the answers so far, as the service itself measures them. */
async function stagesSoFar() {
  const value = (/** @type {string} */ stage, /** @type {string} */ what) =>
    metric(service.port, `live_stage_seconds_${what}{stage="${stage}"}`).then((number) => number || 0);
  return Promise.all(STAGES.map(async ([, stage]) => [await value(stage, 'sum'), await value(stage, 'count')]));
}

/**
 * What ten turns came to, with those that a client begins by itself.
 *
 * @param {string} title @param {number[]} firsts @param {number[][]} before the stages of others
 */
async function reportTurns(title, firsts, before, user, token) {
  const { body } = await ask(service.port, `/chat?user_id=${user}&per_page=100`, { token });
  const requests = body.payload.filter(({ direction }) => direction === 'outgoing').length;
  const answers = body.payload.filter(({ answer }) => answer).map(({ answer }) => answer);
  const isCalled = answers.some((answer) => answer.includes('21 degrees'));
  const isCut = answers.some((answer) => answer.startsWith('This is a long answer') && answer.length < 300);
  const heard = firsts.filter(Number.isFinite);
  const holds = heard.length === 10 && requests >= 10 && answers.length >= 10 && isCalled && isCut;
  const seen = `${heard.length}, ${requests}, ${answers.length}, ${isCalled ? 1 : 0}, ${isCut ? 1 : 0}`;
  report.row(
    `${title}, ten spoken turns: heard, stored, answered, with a call, cut`,
    '10, ≥ 10, ≥ 10, 1, 1',
    seen,
    holds,
  );
  const plain = heard.filter((_, at) => Object.keys(TURNS)[at] !== 'weather');
  const times = `median ${ms(percentile(plain, 0.5))}, from ${ms(Math.min(...plain))} to ${ms(Math.max(...plain))}`;
  report.row(`${title}, the nine without a call: end of speech to the first sound`, '', times);
  const means = (await stagesSoFar()).map(
    ([sum, count], at) => (1000 * (sum - before[at][0])) / (count - before[at][1]),
  );
  const stages = STAGES.map(([name], at) => `${name} ${ms(means[at])}`).join(', ');
  report.row(`${title}, the service's stages of its spoken turns, on average`, '', stages);
}

const report = new Report('npm run verify -- clients');
const chosen = CLIENTS.filter(
  ({ program }) =>
    (!values.turns || IN_TURNS.includes(program)) &&
    (!values.only || values.only.split(',').some((part) => program.startsWith(part))),
);
// Before the service runs: connections that it closes while this process waits would be used again.
const places = new Map(chosen.map((client) => [client, packagesOf(client)]));
const modelsDir = installModel(directory);
const service = await startWithModel(modelsDir, directory);
const sounds = await saySounds();
if (values.turns) {
  const token = await tokenOf(service.port, 'websocket');
  const [before, firsts] = [await stagesSoFar(), await talkByWebSocket(service.port, token, sounds)];
  await reportTurns('A WebSocket client', firsts, before, 'websocket', token);
}
const rows = [];
for (const [index, client] of chosen.entries()) {
  const { program, pypi } = client;
  const place = places.get(client);
  const title = titleOf(client);
  if (!place) {
    report.row(title, '', 'not to be had here');
    continue;
  }
  const user = `client-${index}`;
  const token = await tokenOf(service.port, user);
  const env = {
    ...process.env,
    BASE: `http://127.0.0.1:${service.port}`,
    TOKEN: token,
    AVATAR: 'ada',
    SOUNDS: directory,
    PACKAGES: place,
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    ...(values.turns ? { TURNS: Object.keys(TURNS).join(',') } : {}),
  };
  const command = pypi ? join(place, 'bin/python') : process.execPath;
  const timeout = values.turns ? TURNS_LIMIT_MS : RUN_LIMIT_MS;
  const before = values.turns ? await stagesSoFar() : [];
  const { stdout, stderr } = await run(command, [join(programs, program)], { env, timeout }).catch((error) => error);
  const steps = String(stdout)
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const { firsts = [] } = steps.find((one) => one.firsts) ?? {};
  if (values.turns) {
    steps.splice(0, Infinity, ...steps.filter(({ step }) => step));
    await reportTurns(title, firsts, before, user, token);
  }
  const { body } = await ask(service.port, `/chat?user_id=${user}&per_page=100`, { token });
  const answers = body.payload.filter(({ answer }) => answer);
  steps.push({ step: 'stored', ok: answers.length >= 3, detail: `${answers.length} answers` });
  const failed = steps.filter(({ ok }) => !ok);
  for (const { step, detail } of failed) console.log(`  ${title}, ${step}: ${detail}`);
  if (failed.length > 0) console.log(String(stderr).slice(-2000));
  report.row(title, 'all steps', `${steps.length - failed.length} of ${steps.length}`, failed.length === 0);
  rows.push({ title, steps });
}
await service.stop();

if (values.write) {
  const passed = ({ steps }) => {
    const failed = STEPS.filter((name) => steps.some(({ step, ok }) => step === name && !ok));
    const absent = STEPS.filter((name) => !steps.some(({ step }) => step === name));
    const but = failed.length > 0 ? ` but ${failed.join(', ')}` : '';
    return `all${but}${absent.length > 0 ? `; has no ${absent.join(', ')}` : ''}`;
  };
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  // Clients that were not run keep their row.
  const earlier = page.slice(from, to).split('\n');
  const lines = CLIENTS.map((client) => {
    const title = titleOf(client);
    const row = rows.find((one) => one.title === title);
    if (row) return `| ${title} | ${passed(row)} |`;
    return earlier.find((line) => line.startsWith(`| ${title} `));
  });
  const table = ['| Client | Passed |', '| --- | --- |', ...lines.filter((line) => line !== undefined)].join('\n');
  writeFileSync(PAGE, await formatted(PAGE, `${page.slice(0, from)}\n${table}\n\n${page.slice(to)}`));
}
report.end();
