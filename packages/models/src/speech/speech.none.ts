import { Speaker } from './speaker.js';
import { Transcriber } from './transcriber.js';

/** Turns speech off. */
export class NoSpeaker extends Speaker {
  readonly kind = 'none';
  validate = () => [];
  speak = async () => undefined;
}

/** Turns transcription off. */
export class NoTranscriber extends Transcriber {
  readonly kind = 'none';
  validate = () => [];
  transcribe = async () => undefined;
}
