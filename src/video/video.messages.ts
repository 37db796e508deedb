import type { SpokenPhoneme } from '../face/index.js';

/** What a video is made of. */
export interface VideoOrder {
  /** The text of an SVG. */
  readonly portrait: string;
  /** Pixels across and down; a multiple of 16. */
  readonly size: number;
  /** An MP3. */
  readonly sound: Uint8Array;
  /** In order, in seconds from the start of the sound. */
  readonly phonemes: readonly SpokenPhoneme[];
}

export interface ToThread extends VideoOrder {
  readonly id: number;
}

/** A piece of the fragmented form, the whole file after the last of them, or why there will be none. */
export type FromThread = { readonly id: number } &
  /** What it works on from now on. */
  (
    | { readonly working: true }
    | { readonly piece: Uint8Array }
    | { readonly whole: Uint8Array }
    /** `portrait` is a sentence for operators where the drawing is to blame. */
    | { readonly failed: true; readonly portrait?: string }
  );
