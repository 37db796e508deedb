import type { Readable } from 'node:stream';
import type { SpeechEntry } from './speaker.js';

export interface TranscribeRequest {
  readonly entry: SpeechEntry;
  /** A recording, up to 10 MiB; destroyed by the caller where it is not read to its end. */
  readonly audio: Readable;
  /** What the recording was found to be, such as `audio/webm`. */
  readonly content_type: string;
  /** The language that is probably spoken, such as `en` or `pt-BR`. */
  readonly language_code: string;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/**
 * Writes down what users say. Extend it and make it a provider of any module; it is found at start, and a project names
 * it by its kind. `transcriberContract` is its test.
 */
export abstract class Transcriber {
  /** The value of `speech.transcriber.kind` in the catalogue that picks this one. */
  abstract readonly kind: string;

  /** The faults of an entry, each starting with the name of its field; `[]` when good. Does not go to the network. */
  abstract validate(entry: SpeechEntry): string[];

  /** Called when a recording in a language may soon come, so that what takes time to load can be there for it. */
  prepare?(entry: SpeechEntry, language_code: string): void;

  /**
   * What is said in a recording, without space around it. Once `signal` is aborted it ends soon, with or without an error.
   *
   * @returns undefined where there are no words in it
   * @throws SpeechError where it could not be found out
   */
  abstract transcribe(request: TranscribeRequest): Promise<string | undefined>;
}
