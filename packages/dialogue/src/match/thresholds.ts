import { IntentMatch } from './intent-index.js';

/** From here on an intent answers; from here on if the request is about what needs care, or two fit; and for sure. */
export const THRESHOLD = 0.57;
export const CAREFUL_THRESHOLD = 0.72;
export const SURE = 0.85;
/** From here on a sentence is an example, or nearly. */
export const THE_SAME = 0.93;
export const MARGIN = 0.03;
/** Below, of two that fit as well none is meant. */
export const CLEAR = 0.64;

export function isMeant({ score, lead }: IntentMatch, threshold: number): boolean {
  return score >= threshold && (score >= Math.max(threshold + MARGIN, CLEAR) || lead >= MARGIN);
}
