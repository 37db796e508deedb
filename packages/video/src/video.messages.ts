import type { SpokenPhoneme } from './face/mouth.js';

/** The input of a rendering. */
export interface VideoJob {
  /** The text of an SVG. */
  readonly portrait: string;
  /** Width and height in pixels; a multiple of 16. */
  readonly size: number;
  /** An MP3. */
  readonly sound: Uint8Array;
  /** In order, in seconds from the start of the audio. */
  readonly phonemes: readonly SpokenPhoneme[];
}

export interface NewRendering extends VideoJob {
  readonly id: number;
}

/** A rendering; that one goes before all others, since somebody waits for its end; or that nobody wants one any more. */
export type ToThread =
  | NewRendering
  | { readonly id: number; readonly isUrgent: true }
  | { readonly id: number; readonly isUnwanted: true };

/** A piece of the fragmented form, the whole file after the last piece, or an error. */
export type FromThread = { readonly id: number } &
  /** The rendering that it works on from now on. */
  (
    | { readonly working: true }
    | { readonly piece: Uint8Array }
    | { readonly whole: Uint8Array }
    /** `portrait` is a message for operators if the drawing is at fault. */
    | { readonly failed: true; readonly portrait?: string }
  );
