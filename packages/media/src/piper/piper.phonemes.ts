import { type EspeakEvent, visiblePhoneme } from '../espeak/espeak.engine.js';
import type { PiperConfig } from './piper.config.js';
import type { PhonemeTime } from '../audio/speech.samples.js';
import { toMilliseconds } from '../audio/mp3.js';

/** A sentence in the form for a Piper model, and for lip sync. */
export interface PiperSentence {
  readonly ids: readonly number[];
  /** eSpeak's timing, in seconds from its first phoneme. */
  readonly phonemes: readonly PhonemeTime[];
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
  const phonemes: PhonemeTime[] = [];
  let isFirst = true;
  let isNewWord = false;
  for (const event of events) {
    if (event.type === 'word') isNewWord = true;
    else if (event.type === 'end' && !isFirst) add(markBefore(event.text_position, characters));
    else if (event.type === 'phoneme' && typeof event.id === 'string' && event.id !== '') {
      if (isNewWord && !isFirst) add(' ');
      add(event.id.replace(/\([^()]*\)/g, ''));
      [isFirst, isNewWord] = [false, false];
      const next = sounds[sounds.indexOf(event) + 1];
      const phoneme = visiblePhoneme(event.id);
      const [start, end] = [event.audio_position / 1000, (next?.audio_position ?? event.audio_position + 50) / 1000];
      if (phoneme && end > start) phonemes.push({ phoneme, start, end });
    }
  }
  ids.push(...phonemeIds.$!);
  return { ids: phonemes.length === 0 ? [] : ids, phonemes };
}

/**
 * Scales timings to another length, in seconds, rounded to milliseconds: Piper has no timings of its own.
 *
 * @param phonemes with eSpeak's timing, the first of which is moved to `start`, and the end of the last to `end`
 */
export function stretched(phonemes: readonly PhonemeTime[], start: number, end: number): (time: number) => number {
  const [first, last] = [phonemes[0]?.start ?? 0, phonemes.at(-1)?.end ?? 0];
  const factor = (end - start) / (last - first || 1);
  return (time) => toMilliseconds(Math.max(start, Math.min(end, start + (time - first) * factor)));
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
