import type { TurnDetection } from './streams/transcription.stream.js';
import type { SpeechEvent } from './streams/speech.stream.js';

/** Commands about the audio stream of one speaker, whose number is `stream`. */
export type StreamCommand = { stream: number } & (
  | { type: 'open'; detection?: TurnDetection; from: number; first: number; holders: readonly string[] }
  /** @param from the position of the first sample, since earlier ones may have been dropped */
  | { type: 'push'; sound: Int16Array; from: number }
  | { type: 'configure'; detection?: TurnDetection }
  | { type: 'commit' | 'clear' | 'close' }
);

/** From the service to its recognition process. */
export type RecognitionCommand = { id: number; recording: Uint8Array } | { cancel: number } | StreamCommand;

/** About the audio stream of one speaker: a command was carried out, or an event. */
export type StreamReport = { stream: number } & ({ done: 'push' | 'clear' } | { heard: SpeechEvent });

/** From the recognition process: it is ready, works on a recording, or has finished it. */
export type RecognitionReport =
  | 'ready'
  | { at: number }
  | { id: number; text: string; seconds?: number; language?: string }
  | StreamReport;
