/**
 * How the shipped avatars sound in each shipped language: the median pitch of a sentence, its loudness, and how long the
 * bundled speaker takes for it; and how many words of ten sentences a recognizer understands, in each language that has one.
 * Female voices have at least 150 Hz, the male voice at most 140 Hz. With --write it replaces their table in RESULTS.md. A
 * Piper model is measured too, and has to pass the speaker contract.
 *
 *   npm run verify -- voices [--piper /models/en_US-joe-medium.onnx] [--write]
 *
 * MODELS_DIR may name a directory with the model for English. `verify -- whisper` has other languages.
 */
import 'reflect-metadata';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { MPEGDecoder } from 'mpg123-decoder';
import { parseArgs } from '../../scripts/arguments.mjs';
import { RecognitionWorkerClient } from '../../packages/media/dist/recognition/recognition.worker-client.js';
import { layoutOf } from '../../packages/media/dist/recognition/sherpa.layout.js';
import { wavOf } from '../../packages/media/dist/audio/wav.js';
import { directory, Report } from './harness.mjs';
import { installModel } from './live/measure.mjs';
import { medianPitch } from './sound.mjs';
import { SENTENCES as SPOKEN, wordErrors } from './speech.recordings.mjs';

const { values } = parseArgs({ options: { piper: { type: 'string' }, write: { type: 'boolean', default: false } } });
const SENTENCES = {
  en: 'Good morning! I like to talk about music, and about what we can do today.',
  es: '¡Buenos días! Me gusta hablar de música y de lo que podemos hacer hoy.',
  fr: 'Bonjour ! J’aime parler de musique, et de ce que nous pouvons faire aujourd’hui.',
  de: 'Guten Morgen! Ich rede gern über Musik und darüber, was wir heute machen können.',
  pt: 'Bom dia! Gosto de falar de música e do que podemos fazer hoje.',
  ar: 'صباح الخير! أحب الحديث عن الموسيقى وعما يمكننا أن نفعله اليوم.',
  hi: 'सुप्रभात! मुझे संगीत के बारे में और आज हम क्या कर सकते हैं, इस पर बात करना पसंद है।',
  zh: '早上好！我喜欢聊音乐，也喜欢聊我们今天可以做什么。',
};
/** The loudness of all voices. */
const LUFS = -20;
/** The permitted pitch of a voice, in Hz. */
const ANY = { low: 60, high: 400 };
const WOMAN = { low: 150, high: 350 };
const MAN = { low: 60, high: 140 };
const RANGES = { ada: WOMAN, bruno: MAN, mira: WOMAN };
/** Least part of the words that is understood. */
const UNDERSTOOD = 0.75;
const PAGE = 'test/acceptance/RESULTS.md';
const [BEGIN, END] = ['<!-- Written by npm run verify -- voices --write -->\n', '<!-- To here -->\n'];

const report = new Report('npm run verify -- voices');
const { EspeakSpeaker } = await import('avatar-chat-models');
const { loudnessOf } = await import('../../packages/media/dist/audio/loudness.js');
const { voicesFor } = await import('../../packages/media/dist/espeak/espeak.voices.js');
const decoder = new MPEGDecoder();
await decoder.ready;

async function measure(speaker, request) {
  const started = performance.now();
  const speech = await speaker.speak({ ...request, signal: AbortSignal.timeout(60_000) });
  if (!speech) throw new Error(`${speaker.kind} says nothing in ${request.language_code}`);
  const took = (performance.now() - started) / 1000;
  await decoder.reset();
  const { channelData, sampleRate } = decoder.decode(speech.audio);
  const sound = channelData[0];
  return {
    pitch: Math.round(medianPitch(sound, sampleRate)),
    level: loudnessOf(sound, sampleRate),
    seconds: speech.seconds,
    took,
    wav: wavOf(
      Int16Array.from(sound, (sample) => 32_767 * Math.max(-1, Math.min(1, sample))),
      sampleRate,
    ),
  };
}

const program = new URL('../../packages/media/dist/recognition/recognition.worker.js', import.meta.url);
const layout = layoutOf(join(installModel(directory), 'moonshine-tiny-en'));
if (!layout?.silero) throw new Error('The model that was installed is not a model');
const recognizer = new RecognitionWorkerClient(program, { model: layout.model, silero: layout.silero });

/** The part of the words of ten English sentences that is understood. */
async function understood(speaker, request) {
  let [words, errors] = [0, 0];
  for (const text of SPOKEN) {
    const { wav } = await measure(speaker, { ...request, text, language_code: 'en' });
    const heard = (await recognizer.transcribe(wav, AbortSignal.timeout(60_000))) ?? '';
    const found = wordErrors(text, heard);
    words += found.words;
    errors += found.errors;
    if (found.errors > 0) console.log(`  ${text} → ${heard}`);
  }
  return 1 - errors / words;
}

const { avatars, languages } = JSON.parse(readFileSync('catalogue/default.json', 'utf8'));
const table = [];
async function row(name, speaker, entry, { low, high }, voice, codes) {
  const seen = [];
  // The first runs load and compile.
  for (const language_code of codes)
    await measure(speaker, { entry, voice, text: SENTENCES[language_code], language_code });
  for (const language_code of codes)
    seen.push(await measure(speaker, { entry, voice, text: SENTENCES[language_code], language_code }));
  const factor = median(seen.map(({ took, seconds }) => took / seconds)).toFixed(2);
  const levels = seen.map(({ level }) => level);
  const isLevel = levels.every((level) => Math.abs(level - LUFS) <= 1);
  const heard = `${Math.min(...levels).toFixed(1)} to ${Math.max(...levels).toFixed(1)}`;
  const pitches = Object.fromEntries(codes.map((code, index) => [code, seen[index].pitch]));
  const isHeld = isLevel && seen.every(({ pitch }) => pitch >= low && pitch <= high);
  const figures = codes.map((code) => `${code} ${pitches[code]}`).join(', ');
  report.row(
    `${name}: median pitch in Hz, loudness in LUFS, real-time factor`,
    `${low}–${high} Hz, ${LUFS} ± 1`,
    `${figures}; ${heard}; ${factor}`,
    isHeld,
  );
  const words = codes.includes('en') ? await understood(speaker, { entry, voice }) : undefined;
  const percent = words === undefined ? '–' : `${Math.round(100 * words)} %`;
  report.row(
    `${name}: words of ten English sentences understood by Moonshine`,
    `≥ ${100 * UNDERSTOOD} %`,
    percent,
    words === undefined || words >= UNDERSTOOD,
  );
  const cells = Object.keys(SENTENCES).map((code) => pitches[code] ?? '–');
  table.push(`| ${[name, ...cells, percent, heard, factor].join(' | ')} |`);
}

const codes = languages.map(({ language_code }) => language_code);
const espeak = new EspeakSpeaker(() => console);
for (const { _id, name, voice } of avatars) await row(name, espeak, { kind: 'espeak' }, RANGES[_id], voice, codes);

if (values.piper) {
  const { createPiper } = await import('./piper.mjs');
  const piper = createPiper(espeak);
  const entry = { kind: 'piper', model: values.piper };
  const {
    espeak: { voice },
  } = JSON.parse(readFileSync(`${values.piper}.json`, 'utf8'));
  const name = `Piper's ${basename(values.piper, '.onnx')}`;
  await row(
    name,
    piper,
    entry,
    ANY,
    undefined,
    codes.filter((code) => voicesFor(code).some((one) => one.slice(0, 2) === voice.slice(0, 2))),
  );
  await piper.onApplicationShutdown();
  const { status } = spawnSync(process.execPath, ['test/acceptance/piper.mjs', values.piper], {
    stdio: ['ignore', 2, 2],
  });
  report.row(
    `${name}: the contract of a speaker`,
    'all tests passed',
    status === 0 ? 'passed' : 'failed',
    status === 0,
  );
}
await espeak.onApplicationShutdown();
recognizer.stop();

if (values.write) {
  const head = ['Voice', ...Object.keys(SENTENCES), 'Understood', 'LUFS', 'Real-time factor'];
  const lines = [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...table];
  const page = readFileSync(PAGE, 'utf8');
  const from = page.indexOf(BEGIN) + BEGIN.length;
  writeFileSync(PAGE, `${page.slice(0, from)}\n${lines.join('\n')}\n\n${page.slice(page.indexOf(END, from))}`);
}
report.end();

function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
