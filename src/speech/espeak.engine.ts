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

// In a variable, so that the compiler does not ask for what may not be there.
const PACKAGE: string = '@echogarden/espeak-ng-emscripten';

/**
 * Takes about 100 ms and 100 MB.
 *
 * @throws Error with the code `ERR_MODULE_NOT_FOUND` where the optional package is not installed
 */
export async function loadEspeak(): Promise<Espeak> {
  const { default: load } = await import(PACKAGE);
  return new (await load()).eSpeakNGWorker() as Espeak;
}

/** A phoneme as lips show it: without stress, and without a change of language, which is in brackets. */
export function visiblePhoneme(id: EspeakEvent['id']): string {
  return typeof id === 'string' ? id.replace(/\([^()]*\)|[ˈˌ]/g, '') : '';
}
