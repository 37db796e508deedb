/**
 * A spoken conversation of ten turns in Chromium: the microphone plays recordings, nothing is typed, and the history has
 * the transcripts. Once in English with the offline model, once in German, which has no model. Prints how long
 * each stage takes, from the end of speech to the first sound of the answer, and how soon a long answer is heard while it
 * is still being generated.
 *
 *   npm run verify -- conversation [--piper /models/en_US-joe-medium.onnx] [--pictures DIRECTORY]
 *
 * --piper: the visitor speaks with that voice, whose intonation is natural; eSpeak's rises at the end of each question.
 * Needs Chromium, found or named by CHROMIUM_PATH; MODELS_DIR may name a directory with the model.
 */
import 'reflect-metadata';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from '../../scripts/arguments.mjs';
import { aWav } from '../support/wav.mjs';
import { EspeakSpeaker } from 'avatar-chat-models';
import { directory, Report, startService } from './harness.mjs';
import { installModel } from './live/measure.mjs';
import { percentile } from './live/stages.mjs';
import { createPiper } from './piper.mjs';
import { spoken, wordErrors } from './speech.recordings.mjs';
import { firstSounds } from './speech.streaming.mjs';
import { visit } from './visitor.mjs';

const ENGLISH = [
  'Hello, how are you today?',
  'How far away is the moon?',
  'Why is the sky blue?',
  'Can you tell me a joke?',
  'My name is Anna.',
  'I have a dog, he is called Rex.',
  'What is a black hole?',
  'What do you like to do?',
  'Thank you very much, that was really helpful.',
  'Goodbye, see you tomorrow.',
];
const GERMAN = ['Guten Tag, wie geht es dir heute?', 'Wie weit ist der Mond entfernt?'];
/** Pauses: between two utterances, for the answer, and before the first, for the greeting. */
const PAUSE_SECONDS = 12;
const RATE = 48_000;
/** The sample rate of the speakers. */
const LIVE_RATE = 24_000;
const SPEECH = 0.02;

const { values } = parseArgs({
  options: { pictures: { type: 'string' }, piper: { type: 'string' } },
});
const report = new Report('npm run verify -- conversation');
const MODELS_DIR = installModel(directory);
if (values.pictures) mkdirSync(values.pictures, { recursive: true });

/** Sentences spoken by a Piper model. */
async function spokenByPiper(sentences, model) {
  const espeak = new EspeakSpeaker(() => console);
  const piper = createPiper(espeak);
  const request = {
    entry: { kind: 'piper', model },
    language_code: 'en',
    signal: AbortSignal.timeout(120_000),
  };
  const recordings = [];
  for (const text of sentences)
    recordings.push({
      samples: (await piper.sound({ ...request, text }))?.samples ?? [],
      rate: LIVE_RATE,
    });
  await Promise.all([piper.onApplicationShutdown(), espeak.onApplicationShutdown()]);
  return recordings;
}

/** A file for the microphone: each recording after a pause, with background noise. */
function microphone(name, recordings) {
  const all = [];
  for (const { samples, rate } of recordings) {
    for (let n = 0; n < PAUSE_SECONDS * RATE; n++) all.push(0);
    const length = Math.floor((samples.length / rate) * RATE);
    for (let n = 0; n < length; n++) all.push(samples[Math.floor((n * rate) / RATE)] ?? 0);
  }
  for (let n = 0; n < PAUSE_SECONDS * RATE; n++) all.push(0);
  const file = join(directory, `${name}.wav`);
  writeFileSync(
    file,
    aWav(RATE, all.length, (n) => (all[n] ?? 0) * 0.8 + 12 * Math.sin(n)),
  );
  return { file, seconds: all.length / RATE };
}

/** Runs in the page: records, in milliseconds, the end of speech and when each stage of a turn was reached. */
const WATCH = `(${(/** @type {number} */ threshold) => {
  const page = /** @type {any} */ (globalThis);
  /** @type {any} */
  const seen = (page.seen = { heard: 0, turns: [], sounds: [] });
  const media = page.navigator.mediaDevices;
  const open = media.getUserMedia.bind(media);
  media.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    const context = new page.AudioContext();
    const analyser = context.createAnalyser();
    context.createMediaStreamSource(stream).connect(analyser);
    const samples = new Float32Array(1024);
    const timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      if (stream.active === false) clearInterval(timer);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      if (Math.sqrt(power) > threshold) seen.heard = performance.now();
    }, 10);
    return stream;
  };
  const ask = page.fetch.bind(page);
  page.fetch = async (url, options = {}) => {
    const isTurn = options.method === 'POST' && /\/chat$/.test(String(url));
    if (!isTurn) return ask(url, options);
    const turn = {
      heard: seen.heard,
      sent: performance.now(),
      status: 0,
      events: {},
    };
    seen.turns.push(turn);
    const response = await ask(url, options);
    turn.status = response.status;
    if (!response.ok) return response;
    const reader = response.clone().body.pipeThrough(new page.TextDecoderStream()).getReader();
    void (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        for (const [, name] of value.matchAll(/event: (\w+)/g)) turn.events[name] ??= performance.now();
      }
    })().catch(() => undefined);
    return response;
  };
  const { start } = page.AudioBufferSourceNode.prototype;
  page.AudioBufferSourceNode.prototype.start = function (...given) {
    seen.sounds.push(performance.now());
    return start.apply(this, given);
  };
}})(${SPEECH})`;

/** One visit: speaks the sentences, and returns what the page showed and what is stored. */
async function converse(language, recordings) {
  const service = await startService({ MODELS_DIR, NODE_ENV: 'development' });
  const { file, seconds } = microphone(language, recordings);
  const { page, history, close } = await visit(service, `chat-type=voice&avatar=bruno&language=${language}`, file, {
    locale: language,
    script: WATCH,
  });
  try {
    await page.locator('button.microphone').click();
    const ended = performance.now() + (seconds + 5) * 1000;
    for (let at = 0; performance.now() < ended; at++) {
      await page.waitForTimeout(Math.min(PAUSE_SECONDS * 1000, Math.max(0, ended - performance.now())));
      if (values.pictures)
        await page.screenshot({
          path: join(values.pictures, `${language}-${at}.png`),
        });
    }
    const seen = await page.evaluate('seen');
    const told = await page.locator('.talk').innerText();
    return { seen, told, messages: await history() };
  } finally {
    await close();
    await service.stop();
  }
}

const middle = (numbers) => percentile(numbers, 0.5);
const show = (numbers) =>
  `${Math.round(middle(numbers))} ms (${Math.round(Math.min(...numbers))} to ${Math.round(Math.max(...numbers))})`;

const english = await converse(
  'en',
  values.piper
    ? await spokenByPiper(ENGLISH, values.piper)
    : await Promise.all(ENGLISH.map((sentence) => spoken(sentence, 'en-us'))),
);
const asked = english.messages.filter(({ direction }) => direction === 'outgoing');
const answered = english.messages.filter(({ direction, request }) => direction === 'incoming' && request);
let [words, errors] = [0, 0];
ENGLISH.forEach((sentence, at) => {
  const heard = asked[at]?.request ?? '';
  const found = wordErrors(sentence, heard);
  words += found.words;
  errors += found.errors;
  console.log(`  said:     ${sentence}\n  heard:    ${heard}\n  answered: ${answered[at]?.answer ?? ''}\n`);
});
const { turns, sounds } = english.seen;
report.row(
  'Ten spoken turns: stored and answered',
  '10 and 10',
  `${asked.length} and ${answered.length}`,
  answered.length === 10,
);
report.row('Words understood', '≥ 85 %', `${Math.round((100 * (words - errors)) / words)} %`, errors <= 0.15 * words);
const stages = turns.map(({ heard, sent, events }) => {
  const sound = sounds.find((at) => at > (events.audio ?? Infinity));
  return {
    sent: sent - heard,
    heard: events.outgoing - sent,
    words: events.delta - events.outgoing,
    spoken: events.audio - events.delta,
    played: sound - events.audio,
    all: sound - heard,
  };
});
const whole = stages.filter(({ all }) => Number.isFinite(all));
for (const [name, key] of [
  ['end of speech until the recording is sent', 'sent'],
  ['until it is understood and stored', 'heard'],
  ['until the first words of the answer', 'words'],
  ['until its first sentence is spoken', 'spoken'],
  ['until it sounds', 'played'],
])
  report.row(`Stage: ${name}`, '', show(whole.map((stage) => stage[key])));
const all = whole.map((stage) => stage.all);
report.row('End of speech to first sound, in the page', '≤ 1500 ms', show(all), middle(all) <= 1500);

const soon = await firstSounds(9);
report.row(
  'An answer of 60 words: from the end of its first sentence to its sound, median of 9',
  '≤ 150 ms',
  show(soon),
  middle(soon) <= 150,
);

const german = await converse('de', await Promise.all(GERMAN.map((sentence) => spoken(sentence, 'de'))));
const isTold = /nicht verstehen|versteht .*nicht|schreib|tippe/i.test(german.told);
console.log(`\nWhat the page says in German, for which no model is installed:\n${german.told}\n`);
report.row('German without a model: the user is told, and can write', 'yes', isTold ? 'yes' : 'no', isTold);
report.end();
