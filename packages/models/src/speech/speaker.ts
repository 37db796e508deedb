import type { KindEntry } from 'avatar-chat-catalogue';
import type { Speech, SpeechSamples } from 'avatar-chat-media';

/** The catalogue entry of a project's speaker or transcriber: `kind` selects it, the other fields are its own. */
export type SpeechEntry = KindEntry;

/** How an avatar sounds. Omitted fields have the speaker's defaults. */
export interface VoiceSettings {
  /**
   * The name of the voice, for each kind of speaker that the avatar may be used with: `{ "espeak": "f3", "openai":
   * "nova" }`.
   */
  readonly names?: Readonly<Record<string, string>>;
  /** Chooses among installed voices. */
  readonly gender?: 'female' | 'male';
  /** How words are to be read, by how they are written: `{ "Mira": "MEE-ra" }`. */
  readonly pronounce?: Readonly<Record<string, string>>;
  /** 1 is the speaker's default speed, 2 twice as fast. */
  readonly rate?: number;
  /** 1 is the voice's default pitch. */
  readonly pitch?: number;
}

export interface SpeakRequest {
  readonly entry: SpeechEntry;
  /** Any text of any length. Only its beginning has to be spoken. */
  readonly text: string;
  /** The text's language, such as `en` or `pt-BR`. */
  readonly language_code: string;
  readonly voice?: VoiceSettings;
  /** Opaque keys of whom it is for, for speakers with a queue that users share: the user, then, where users cost nothing, the address. */
  readonly holders?: readonly string[];
  /** Aborted when the speech is no longer needed. */
  readonly signal: AbortSignal;
}

/** What a speaker is chosen by. */
export type Spoken = Pick<SpeakRequest, 'language_code' | 'voice'>;

/**
 * Speaks an avatar's answers. Extend it and provide it in any module; it is discovered at startup, and a project
 * selects it by its kind. `speakerContract` tests it.
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
  /** The value of `speech.speaker.kind` in the catalogue that selects this speaker. */
  abstract readonly kind: string;

  /** The faults of an entry, each starting with the name of its field; `[]` if it is valid. No network access. */
  abstract validate(entry: SpeechEntry): string[];

  /**
   * Called when an answer is about to be produced, so that slow resources can be loaded before its first sentence.
   *
   * @param live the voice of many answers that will follow, the first as fast as all others
   */
  prepare?(entry: SpeechEntry, live?: Spoken): void;

  /**
   * Speaks a text. Ends soon after `signal` is aborted, with or without an error.
   *
   * @returns undefined if there is nothing to speak, or no voice for the language
   * @throws SpeechError if there should have been speech
   */
  abstract speak(request: SpeakRequest): Promise<Speech | undefined>;

  /**
   * Speaks a text, usually a sentence, as samples. By default, the result of {@link speak} is decoded.
   *
   * @returns undefined if there is nothing to speak, or no voice for the language
   * @throws SpeechError if there should have been speech
   */
  sound?(request: SpeakRequest): Promise<SpeechSamples | undefined>;
}
