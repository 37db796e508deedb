import { EspeakData, type EmscriptenFiles } from './espeak.data.js';
import type { SpokenText } from '../text/spoken.text.js';
import type { WordMark } from '../text/words.js';

// The part of an optional package that is used here; the package, and so its types, may not be installed.
export interface Espeak {
  /** @returns 0 if the voice exists */
  set_voice(name: string): number;
  set_rate(wordsPerMinute: number): void;
  set_pitch(pitch: number): void;
  /** Calls back with about 100 ms of audio at a time; returning true ends it. */
  synthesize(text: string, onSound: (samples: Int16Array, events: EspeakEvent[]) => boolean): void;
}

export interface EspeakEvent {
  /** `sentence`, `word`, `phoneme`, or `end` of a clause, among others. */
  type: string;
  /** IPA, for a phoneme; empty for a pause. */
  id?: string | number;
  /** Milliseconds. */
  audio_position: number;
  /** For a word, and for the end of a clause: the number of the following character, from 1. */
  text_position: number;
}

export const ESPEAK_RATE = 22_050;

type EspeakLoader = (options: {
  /** Called with the data's path and length. */
  getPreloadedPackage: (path: string, length: number) => ArrayBuffer;
}) => Promise<{ FS: EmscriptenFiles; eSpeakNGWorker: new () => Espeak }>;

// In a variable, so that the compiler does not resolve a package that may not be installed.
const PACKAGE: string = '@echogarden/espeak-ng-emscripten';

/**
 * Takes about 100 ms, and 40 MB.
 *
 * @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional package is not installed
 */
export async function loadEspeak(): Promise<Espeak> {
  const { default: load } = (await import(PACKAGE)) as { default: EspeakLoader };
  const data = new EspeakData();
  const { FS, eSpeakNGWorker } = await load({ getPreloadedPackage: data.open });
  data.attach(FS);
  return new eSpeakNGWorker();
}

/** A phoneme for lip sync: without stress, and without changes of language, which are in brackets. */
export function visiblePhoneme(id: EspeakEvent['id']): string {
  return typeof id === 'string' ? id.replace(/\([^()]*\)|[ˈˌ]/g, '') : '';
}

/** The word timings of a text, of which `spoken` was synthesized. */
export function wordMarks(events: readonly EspeakEvent[], { text, positions }: SpokenText): WordMark[] {
  // It counts code points, not UTF-16 code units.
  const indexes: number[] = [];
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) indexes.push(positions[at]!);
  return events.flatMap(({ type, audio_position, text_position }) => {
    const index = indexes[text_position - 1];
    return type === 'word' && index !== undefined ? [{ index, at: audio_position / 1000 }] : [];
  });
}
