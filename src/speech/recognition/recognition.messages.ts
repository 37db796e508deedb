import type { TurnDetection } from '../listener.js';
import type { EarEvent } from './ear.js';

/** Orders about the audio stream of one speaker, whose number is `ear`. */
export type EarOrder = { ear: number } & (
  | { order: 'open'; detection?: TurnDetection; from: number; first: number }
  /** @param from the position of the first sample, since earlier ones may have been dropped */
  | { order: 'hear'; sound: Int16Array; from: number }
  | { order: 'configure'; detection?: TurnDetection }
  | { order: 'commit' | 'clear' | 'close' }
);

/** From the service to its recognition process. */
export type RecognitionOrder = { id: number; recording: Uint8Array } | { cancel: number } | EarOrder;

/** About the audio stream of one speaker: an order was carried out, or an event. */
export type EarReport = { ear: number } & ({ done: 'hear' | 'clear' } | { heard: EarEvent });

/** From the recognition process: it is ready, works on a recording, or has finished it. */
export type RecognitionReport = 'ready' | { at: number } | { id: number; text: string } | EarReport;
