import type { Readable } from 'node:stream';
import type { SpeechEntry } from './speaker.js';

export interface TranscribeRequest {
  readonly entry: SpeechEntry;
  /** A recording, up to 10 MiB; destroyed by the caller if it is not read to its end. */
  readonly audio: Readable;
  /** The detected type of the recording, such as `audio/webm`. */
  readonly content_type: string;
  /** The expected language, such as `en` or `pt-BR`. */
  readonly language_code: string;
  /**
   * Opaque keys of whoever sent it, for transcribers with a queue that users share: the user, then, where users cost
   * nothing, the address.
   */
  readonly holders: readonly string[];
  /** To be called with the length of the audio in seconds, also without words: usage counts it; and its language if the model chose it. */
  readonly onHeard?: (seconds: number, language?: string) => void;
  /** Aborted when the transcript is no longer needed. */
  readonly signal: AbortSignal;
}

/**
 * Transcribes users' speech. Extend it and provide it in any module; it is discovered at startup, and a project selects
 * it by its kind. `transcriberContract` tests it.
 */
export abstract class Transcriber {
  /** The value of `speech.transcriber.kind` in the catalogue that selects this transcriber. */
  abstract readonly kind: string;

  /** The faults of an entry, each starting with the name of its field; `[]` if it is valid. No network access. */
  abstract validate(entry: SpeechEntry): string[];

  /** Called when a recording in a language is likely to follow, so that slow resources can be loaded. */
  prepare?(entry: SpeechEntry, language_code: string): void;

  /**
   * Transcribes a recording; the result is trimmed. Ends soon after `signal` is aborted, with or without an error.
   *
   * @returns undefined if it contains no words
   * @throws SpeechError if transcription failed
   */
  abstract transcribe(request: TranscribeRequest): Promise<string | undefined>;
}
