import type { Samples } from './recording.samples.js';

/** To the thread. Each message except `close` has one answer. */
export type DecodingCommand = { readonly id: number } &
  /** Starts a recording. @param skip samples at its beginning that are not needed */
  (
    | { readonly open: Uint8Array; readonly skip: number }
    | { readonly next: true }
    | { readonly close: true }
    /** Decodes a whole MP3 of speech. @param seconds how many it may have */
    | { readonly speech: Uint8Array; readonly seconds: number }
  );

export type DecodingAnswer =
  /** The next chunks, possibly none. */
  | { readonly chunks: readonly Samples[]; readonly isLast: boolean }
  /** All of it at `LIVE_RATE`. */
  | { readonly samples: Int16Array }
  | { readonly failed: true };
