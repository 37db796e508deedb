/**
 * Is spoken English transcribed correctly and quickly, and does the service cope with recordings of all kinds? Uses the real
 * model, from npm's configured registry.
 *
 *   npm run verify -- speech [--sentences 10] [--optional]
 *
 * --optional: succeeds without the model, does not judge times, and accepts fewer correct words. MODELS_DIR may name a directory with the model.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from '../../scripts/arguments.mjs';
import { RecognitionWorkerClient } from '../../packages/media/dist/recognition/recognition.worker-client.js';
import { layoutOf } from '../../packages/media/dist/recognition/sherpa.layout.js';
import { aWav } from '../support/wav.mjs';
import { directory, Report, startService, tokenOf } from './harness.mjs';
import { humanRecordings, secondsOf, syntheticRecordings, wordErrors } from './speech.recordings.mjs';

const { values } = parseArgs({
  options: { sentences: { type: 'string', default: '10' }, optional: { type: 'boolean', default: false } },
});
const MODELS_DIR = process.env.MODELS_DIR ?? join(directory, 'models');
const MODEL = 'moonshine-tiny-en';

const report = new Report('npm run verify -- speech');
const began = performance.now();
const installed = spawnSync(process.execPath, ['dist/programs/cli.js', 'speech', 'install'], {
  env: { ...process.env, MODELS_DIR },
  encoding: 'utf8',
});
if (installed.status !== 0 && values.optional) {
  console.log(`Speech recognition is not tried: ${installed.stderr.trim()}`);
  process.exit(0);
}
const seconds = Math.round((performance.now() - began) / 1000);
report.row('Installing the model', 'exit code 0', `${installed.status}, ${seconds} s`, installed.status === 0);

const layout = layoutOf(join(MODELS_DIR, MODEL));
const program = new URL('../../packages/media/dist/recognition/recognition.worker.js', import.meta.url);
if (!layout?.silero) throw new Error('The model that was installed is not a model');
const recognizer = new RecognitionWorkerClient(program, { model: layout.model, silero: layout.silero });
const never = new AbortController().signal;
/** @param {Buffer} wav */
const transcript = async (wav) => (await recognizer.transcribe(wav, never)) ?? '';

const synthetic = await syntheticRecordings(Number(values.sentences));
const human = await humanRecordings(directory);
const first = human[0]?.wav ?? Buffer.alloc(0);
const loadBegan = performance.now();
await transcript(first);
report.row('First recording, with loading the model', '', `${Math.round(performance.now() - loadBegan)} ms`);

let [spoken, spent] = [0, 0];
for (const [who, target, recordings] of /** @type {const} */ ([
  ['three synthetic voices', 85, synthetic],
  ['people', 90, human],
])) {
  let [words, errors] = [0, 0];
  for (const recording of recordings) {
    const start = performance.now();
    const heard = await transcript(recording.wav);
    spent += performance.now() - start;
    spoken += secondsOf(recording.wav);
    const found = wordErrors(recording.words, heard);
    words += found.words;
    errors += found.errors;
    if (found.errors > 0 && !values.optional) console.log(`  ${recording.words} → ${heard}`);
  }
  const right = Math.round((100 * (words - errors)) / words);
  report.row(
    `Words right, ${who}`,
    `≥ ${target} %`,
    `${right} % of ${words}`,
    right >= (values.optional ? target - 15 : target),
  );
}

const utterance = synthetic.reduce((best, one) =>
  Math.abs(secondsOf(one.wav) - 3.4) < Math.abs(secondsOf(best.wav) - 3.4) ? one : best,
);
const times = [];
for (let n = 0; n < 9; n++) {
  const start = performance.now();
  await transcript(utterance.wav);
  times.push(performance.now() - start);
}
times.sort((a, b) => a - b);
const length = secondsOf(utterance.wav).toFixed(1);
const median = Math.round(times[4] ?? 0);
report.row(`Time for ${length} s of speech, median of 9`, '≤ 250 ms', `${median} ms`, values.optional || median <= 250);
const factor = spent / 1000 / spoken;
report.row(
  `Real-time factor, ${Math.round(spoken)} s of speech`,
  '≤ 0.1',
  factor.toFixed(3),
  values.optional || factor <= 0.1,
);
// @ts-expect-error Private, but needed for the figure.
const { pid } = recognizer.child;
const peak = /VmHWM:\s+(\d+) kB/.exec(
  process.platform === 'linux' ? readFileSync(`/proc/${pid}/status`, 'utf8') : '',
)?.[1];
if (peak) report.row('Memory of the recognition process, at most', '', `${Math.round(Number(peak) / 1000)} MB`);
recognizer.stop();

// Recordings of all kinds, over HTTP.
const service = await startService({
  MODELS_DIR,
  SPEECH_MODELS: 'off',
  MONGODB_URI: 'embedded::memory:',
  RATE_LIMIT: 'off',
});
const token = await tokenOf(service.port);
/** @param {Buffer} bytes @param {string} [language_code] @param {string} [user] */
async function say(bytes, language_code = 'en', user = token) {
  const form = new FormData();
  const fields = { avatar_id: 'ada', chat_type: 'voice', language_code };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(bytes)]), 'recording');
  const start = performance.now();
  const response = await fetch(`http://127.0.0.1:${service.port}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user}` },
    body: form,
  });
  const body = /** @type {any} */ (await response.json());
  const ms = Math.round(performance.now() - start);
  return {
    ms,
    status: response.status,
    text: body.error ?? body.outgoing.request,
    retry: response.headers.get('retry-after'),
  };
}
const RATE = 16_000;
const noise = () => (Math.random() - 0.5) * 20_000;
const chord = (/** @type {number} */ n) =>
  [262, 330, 392].reduce((sum, hz) => sum + 6000 * Math.sin((2 * Math.PI * hz * n) / RATE), 0);
/** A melody of decaying harmonics, with a bass and a beat. @param {number} n */
const music = (n) => {
  const [beat, since] = [Math.floor((4 * n) / RATE), ((4 * n) / RATE) % 1];
  const tone = (/** @type {number} */ hz) =>
    [1, 2, 3, 4].reduce((sum, harmonic) => sum + Math.sin((2 * Math.PI * hz * harmonic * n) / RATE) / harmonic, 0);
  const melody = tone([262, 330, 392, 440, 392, 330, 294, 349][beat % 8] ?? 0) * Math.exp(-2 * since);
  return 5000 * melody + 4000 * tone(beat % 16 < 8 ? 65 : 98) + noise() * 0.3 * Math.exp(-30 * since);
};
const samples = new Int16Array(first.buffer.slice(first.byteOffset + 44, first.byteOffset + first.length));
const at8kHz = aWav(8000, samples.length >> 1, (n) => samples[2 * n] ?? 0);
const stereo = aWav(48_000, 6 * samples.length, (n) => samples[Math.floor(n / 6)] ?? 0);
stereo.writeUInt16LE(2, 22);
stereo.writeUInt32LE(4 * 48_000, 28);
stereo.writeUInt16LE(4, 32);
for (const [what, bytes, expected, language] of /** @type {[string, Buffer, RegExp, string?][]} */ ([
  ['speech', first, /^201 .*country/i],
  ['silence, 10 s', aWav(RATE, 10 * RATE, () => 0), /^422 no_transcript/],
  ['noise, 10 s', aWav(RATE, 10 * RATE, noise), /^422 no_transcript/],
  ['speech, 8 kHz', at8kHz, /^201 .*country/i],
  ['speech, 48 kHz, stereo', stereo, /^201 .*country/i],
  ['music, 10 s', aWav(RATE, 10 * RATE, music), /^(422 no_transcript|201)/],
  ['a chord, 10 s', aWav(RATE, 10 * RATE, chord), /^(422 no_transcript|201)/],
  ['speech that breaks off', first.subarray(0, first.length / 2), /^201 .*american/i],
  [
    'a header and garbage',
    Buffer.concat([first.subarray(0, 4), Buffer.alloc(8), Buffer.from('WAVEfmt '), Buffer.alloc(5000, 0xa5)]),
    /^4\d\d /,
  ],
  ['speech in a language without a transcriber', first, /^422 no_transcript/, 'de'],
])) {
  const { status, text, ms } = await say(bytes, language);
  const holds = expected.test(`${status} ${text}`);
  report.row(`Recording: ${what}`, String(expected).slice(2, -1), `${status} ${text.slice(0, 60)}, ${ms} ms`, holds);
}

const many = await Promise.all(
  Array.from({ length: 24 }, async (_, n) => say(first, 'en', await tokenOf(service.port, `user${n}`))),
);
const [answered, refused] = [many.filter(({ status }) => status === 201), many.filter(({ status }) => status === 503)];
report.row(
  '24 recordings at once: answered, or 503 with Retry-After',
  '≥ 16 and the rest',
  `${answered.length} and ${refused.length}`,
  answered.length >= 16 && answered.length + refused.length === 24 && refused.every(({ retry }) => retry),
);
if (!values.optional) {
  // 8 kHz, because ten minutes at 16 kHz exceed the size limit.
  const long = aWav(8000, 8000 * 600, (n) => samples[(2 * n) % samples.length] ?? 0);
  const [whole, short] = await Promise.all([say(long), say(first, 'en', await tokenOf(service.port, 'other'))]);
  report.row(
    'Ten minutes of speech, 8 kHz',
    '201, or 504 in time',
    `${whole.status} ${whole.text.slice(0, 30)}…, ${whole.ms} ms`,
    [201, 504].includes(whole.status) && whole.ms < 40_000,
  );
  report.row('A short recording meanwhile', '201', `${short.status}, ${short.ms} ms`, short.status === 201);
}
await service.stop();
report.end();
