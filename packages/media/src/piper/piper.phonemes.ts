import { type EspeakEvent, visiblePhoneme } from '../espeak/espeak.engine.js';
import type { PiperConfig } from './piper.config.js';
import type { PhonemeTime } from '../audio/speech.samples.js';
import { toMilliseconds } from '../audio/samples.js';

/** A phoneme with eSpeak's timing, in seconds, and the range of its ids. */
export interface PiperPhoneme extends PhonemeTime {
  readonly from: number;
  readonly to: number;
}

/** A sentence in the form for a Piper model, and for lip sync. */
export interface PiperSentence {
  readonly ids: readonly number[];
  readonly phonemes: readonly PiperPhoneme[];
}

/** Punctuation of other scripts, mapped to what models know. */
const MARKS: Readonly<Record<string, string>> = {
  '。': '.',
  '．': '.',
  '।': '.',
  '…': '.',
  '、': ',',
  '，': ',',
  '،': ',',
  '；': ';',
  '؛': ';',
  '：': ':',
  '？': '?',
  '؟': '?',
  '！': '!',
};
/** Characters that may be between punctuation and the end of its clause. */
const CLOSING = /[\s"'”’»)\]]/;

/**
 * Converts eSpeak's phonemes of a sentence to the ids of a model: those of its words, separated by spaces, and the
 * punctuation of each clause, with padding after every one. Characters that the model does not know are skipped.
 *
 * @param text the sentence
 * @param events eSpeak's events for it
 */
export function piperSentence(
  text: string,
  events: readonly EspeakEvent[],
  { phonemeIds }: Pick<PiperConfig, 'phonemeIds'>,
): PiperSentence {
  const characters = [...text];
  const ids: number[] = [...phonemeIds['^']!, ...phonemeIds._!];
  const add = (symbol: string) => {
    for (const one of known(symbol, phonemeIds)) ids.push(...phonemeIds[one]!, ...phonemeIds._!);
  };
  const sounds = events.filter(({ type }) => type === 'phoneme' || type === 'end');
  const phonemes: PiperPhoneme[] = [];
  let isFirst = true;
  let isNewWord = false;
  for (const event of events) {
    if (event.type === 'word') isNewWord = true;
    else if (event.type === 'end' && !isFirst) add(markBefore(event.text_position, characters));
    else if (event.type === 'phoneme' && typeof event.id === 'string' && event.id !== '') {
      if (isNewWord && !isFirst) add(' ');
      const from = ids.length;
      add(event.id.replace(/\([^()]*\)/g, ''));
      [isFirst, isNewWord] = [false, false];
      const next = sounds[sounds.indexOf(event) + 1];
      const phoneme = visiblePhoneme(event.id);
      const [start, end] = [event.audio_position / 1000, (next?.audio_position ?? event.audio_position + 50) / 1000];
      if (phoneme && end > start) phonemes.push({ phoneme, start, end, from, to: ids.length });
    }
  }
  ids.push(...phonemeIds.$!);
  return { ids: phonemes.length === 0 ? [] : ids, phonemes };
}

/**
 * Converts eSpeak's timings of a sentence, in seconds, to those of its sound, rounded to milliseconds.
 *
 * @param audible where its sound starts and ends: all that is known without `ends`
 * @param ends when each of its ids ends
 */
export function timeline(
  phonemes: readonly PiperPhoneme[],
  [first, last]: readonly [number, number],
  ends?: readonly number[],
): (time: number) => number {
  const points = ends
    ? phonemes.flatMap(({ start, end, from, to }) => [
        [start, ends[from - 1]!],
        [end, ends[to - 1]!],
      ])
    : [
        [phonemes[0]?.start ?? 0, first],
        [phonemes.at(-1)?.end ?? 0, last],
      ];
  return (time) => {
    const at = points.findLastIndex(([start]) => start! <= time);
    const [from, to] = points[Math.max(0, at)] as [number, number];
    const [next, end] = (points[at + 1] ?? [from, to]) as [number, number];
    const part = time > from ? (time - from) / (next - from || 1) : 0;
    return toMilliseconds(Math.max(first, Math.min(last, to + part * (end - to))));
  };
}

/** The characters of a symbol that the model has, decomposed as in its training if it has those. */
function known(symbol: string, phonemeIds: PiperConfig['phonemeIds']): string[] {
  return [...symbol].flatMap((character) => {
    const parts = [...character.normalize('NFD')];
    if (parts.every((part) => Object.hasOwn(phonemeIds, part))) return parts;
    return Object.hasOwn(phonemeIds, character) ? [character] : [];
  });
}

/** @param position eSpeak's position of the character after the clause, from 1 */
function markBefore(position: number, characters: readonly string[]): string {
  let at = Math.min(position - 1, characters.length) - 1;
  while (at > 0 && CLOSING.test(characters[at]!)) at--;
  const character = characters[at] ?? '';
  const mark = MARKS[character] ?? character;
  return /[.,;:?!]/.test(mark) ? mark : '';
}
