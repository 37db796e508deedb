import { LIVE_RATE, type PhonemeTime, type SpeechSamples } from '../audio/speech.samples.js';

export interface Viseme {
  /** Seconds from the start of the audio. */
  readonly at: number;
  /** 0 to 21, in Azure Speech's numbering; 0 is silence. */
  readonly viseme_id: number;
}

/** The sounds of each shape: IPA characters (the first of a diphthong's), and letters as a fallback. */
const DIPHTHONGS: readonly [string, number][] = [
  ['aʊ', 9],
  ['ɔɪ', 10],
  ['ɔʏ', 10],
  ['aɪ', 11],
];
const SHAPES: readonly [string, number][] = [
  ['æəʌɐᵻ', 1],
  ['ɑa', 2],
  ['ɔɒ', 3],
  ['ɛeʊ', 4],
  ['ɝɚɜ', 5],
  ['jiɪɨ', 6],
  ['wuɯʉyʏɥ', 7],
  ['oɤøœɵ', 8],
  ['hɦħʕʔχx', 12],
  ['ɹrɾɽʁʀɻ', 13],
  ['lɫɭɬʎ', 14],
  ['sz', 15],
  ['ʃʒɕʑʂʐç', 16],
  ['ð', 17],
  ['fvʋɱ', 18],
  ['dtnθɖʈɳɲ', 19],
  ['kgɡŋqɢcɟɣɴ', 20],
  ['pbmɸβ', 21],
];
const IDS = new Map([...DIPHTHONGS, ...SHAPES.flatMap(([all, id]) => [...all].map((one) => [one, id] as const))]);
const OPEN = 1;
/** Seconds without a phoneme after which the mouth rests. */
const PAUSE = 0.06;

/** The mouth shapes for a spoken text: at least one for each spoken word, and silence at the end. */
export function visemesOf({ samples, phonemes, words }: SpeechSamples): Viseme[] {
  const seconds = samples.length / LIVE_RATE;
  const spoken = words.filter(({ start, end }) => end > start);
  const sounds =
    phonemes.length > 0
      ? phonemes
      : spoken.map(({ text, start, end }) => ({ phoneme: lettersOf(text), start, end }) satisfies PhonemeTime);
  const visemes: Viseme[] = [];
  sounds.forEach(({ phoneme, start, end }, index) => {
    const ids = shapesOf(phoneme);
    ids.forEach((viseme_id, part) => visemes.push({ at: start + (part / ids.length) * (end - start), viseme_id }));
    const next = sounds[index + 1];
    if (!next || next.start - end > PAUSE) visemes.push({ at: end, viseme_id: 0 });
  });
  for (const { start, end } of spoken)
    if (!visemes.some(({ at }) => at >= start && at < end))
      visemes.push({ at: start, viseme_id: visemes.findLast(({ at }) => at < start)?.viseme_id || OPEN });
  return ascending(visemes, seconds);
}

/** In order, rounded to milliseconds, without overlaps, and within the audio. */
function ascending(visemes: readonly Viseme[], seconds: number): Viseme[] {
  const last = Math.floor(seconds * 1000) - 1;
  const result: Viseme[] = [];
  let free = 0;
  for (const { at, viseme_id } of [...visemes].sort((a, b) => a.at - b.at)) {
    const milliseconds = Math.max(free, Math.round(at * 1000));
    if (milliseconds >= last && viseme_id !== 0) continue;
    result.push({ at: Math.min(milliseconds, last) / 1000, viseme_id });
    free = milliseconds + 1;
  }
  return result;
}

function shapesOf(phoneme: string): number[] {
  const symbols = [...phoneme];
  const ids: number[] = [];
  for (let at = 0; at < symbols.length; at++) {
    const diphthong = IDS.get(`${symbols[at]}${symbols[at + 1] ?? ' '}`);
    const id = diphthong ?? IDS.get(symbols[at]!);
    if (diphthong !== undefined) at++;
    if (id !== undefined) ids.push(id);
  }
  return ids.length > 0 ? ids : [OPEN];
}

/** Letters that resemble IPA; those of other scripts open and close the mouth. */
function lettersOf(word: string): string {
  const letters =
    word
      .normalize('NFD')
      .toLowerCase()
      .match(/[\p{L}\p{N}]/gu) ?? [];
  return letters.map((letter) => (/[a-z]/.test(letter) ? letter : 'na')).join('');
}
