import { EspeakData, type EmscriptenFiles } from './espeak.data.js';
import type { SpokenText } from './speech.text.js';
import type { WordMark } from './words.js';

// The part of an optional package that is used here; it may not be installed, so neither may its types.
export interface Espeak {
  /** @returns 0 where it has such a voice */
  set_voice(name: string): number;
  set_rate(wordsPerMinute: number): void;
  set_pitch(pitch: number): void;
  /** Calls back with about 100 ms of sound at a time; true ends it. */
  synthesize(text: string, onSound: (samples: Int16Array, events: EspeakEvent[]) => boolean): void;
}

export interface EspeakEvent {
  /** `sentence`, `word`, `phoneme`, or `end` of a clause, among others. */
  type: string;
  /** IPA, of a phoneme; empty for a pause. */
  id?: string | number;
  /** Milliseconds. */
  audio_position: number;
  /** Of a word, and of the end of a clause: the number of the character that it is before, from 1. */
  text_position: number;
}

/** Of its sound, in Hz. */
export const ESPEAK_RATE = 22_050;

type EspeakLoader = (options: {
  /** Called with the data's path and length. */
  getPreloadedPackage: (path: string, length: number) => ArrayBuffer;
}) => Promise<{ FS: EmscriptenFiles; eSpeakNGWorker: new () => Espeak }>;

// In a variable, so that the compiler does not ask for what may not be there.
const PACKAGE: string = '@echogarden/espeak-ng-emscripten';

/**
 * Takes about 100 ms, and 40 MB.
 *
 * @throws Error with the code `ERR_MODULE_NOT_FOUND` where the optional package is not installed
 */
export async function loadEspeak(): Promise<Espeak> {
  const { default: load } = (await import(PACKAGE)) as { default: EspeakLoader };
  const data = new EspeakData();
  const { FS, eSpeakNGWorker } = await load({ getPreloadedPackage: data.open });
  data.attach(FS);
  return new eSpeakNGWorker();
}

/** A phoneme as lips show it: without stress, and without a change of language, which is in brackets. */
export function visiblePhoneme(id: EspeakEvent['id']): string {
  return typeof id === 'string' ? id.replace(/\([^()]*\)|[ˈˌ]/g, '') : '';
}

/** The marks of words in a text, of which `spoken` was synthesized. */
export function wordMarks(events: readonly EspeakEvent[], { text, positions }: SpokenText): WordMark[] {
  // It counts characters, not their halves.
  const indexes: number[] = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) indexes.push(positions[at]!);
  return events.flatMap(({ type, audio_position, text_position }) => {
    const index = indexes[text_position - 1];
    return type === 'word' && index !== undefined ? [{ index, at: audio_position / 1000 }] : [];
  });
}
