import type { KindEntry } from '../platform/kinds/index.js';
import type { PhonemeTime, Sound } from './sound.js';

/** A speaker or transcriber of a project in the catalogue: `kind` selects it, the other fields are its own. */
export type SpeechEntry = KindEntry;

/** How an avatar sounds. What is left out is the speaker's own. */
export interface VoiceSettings {
  /** The name of the voice, for each kind of speaker that the avatar may meet: `{ "espeak": "f3", "openai": "nova" }`. */
  readonly names?: Readonly<Record<string, string>>;
  /** 1 is the speaker's usual speed, 2 twice as fast. */
  readonly rate?: number;
  /** 1 is the voice's usual pitch. */
  readonly pitch?: number;
}

export interface SpeakRequest {
  readonly entry: SpeechEntry;
  /** Any text, of any length. Only its beginning needs to be spoken. */
  readonly text: string;
  /** The text's language, such as `en` or `pt-BR`. */
  readonly language_code: string;
  readonly voice?: VoiceSettings;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

export interface Speech {
  /** MP3. */
  readonly audio: Uint8Array;
  readonly content_type: 'audio/mpeg';
  /** How long it is. */
  readonly seconds: number;
  /** In order, without the pauses; empty where the speaker does not know. */
  readonly phonemes: readonly PhonemeTime[];
}

/**
 * Says an avatar's answers. Extend it and make it a provider of any module; it is found at start, and a project names
 * it by its kind. `speakerContract` is its test.
 *
 * @example
 * ```ts
 * @Injectable()
 * export class StudioSpeaker extends Speaker {
 *   readonly kind = 'studio';
 *   validate = () => [];
 *   async speak({ text, language_code, signal }: SpeakRequest): Promise<Speech | undefined> { … }
 * }
 * ```
 */
export abstract class Speaker {
  /** The value of `speech.speaker.kind` in the catalogue that picks this one. */
  abstract readonly kind: string;

  /** The faults of an entry, each starting with the name of its field; `[]` when good. Does not go to the network. */
  abstract validate(entry: SpeechEntry): string[];

  /**
   * Called when an answer is about to be produced, so that what takes time to load can be there for its first sentence.
   *
   * @param isLive whether there will be many, the first of which is to come as soon as all others
   */
  prepare?(entry: SpeechEntry, isLive?: boolean): void;

  /**
   * Speaks a text. Once `signal` is aborted it ends soon, with or without an error.
   *
   * @returns undefined where there is nothing to say, or no voice for the language
   * @throws SpeechError where there should have been speech
   */
  abstract speak(request: SpeakRequest): Promise<Speech | undefined>;

  /**
   * Speaks a text, usually a sentence, as samples. Left out, what {@link speak} makes is decoded.
   *
   * @returns undefined where there is nothing to say, or no voice for the language
   * @throws SpeechError where there should have been speech
   */
  sound?(request: SpeakRequest): Promise<Sound | undefined>;
}
