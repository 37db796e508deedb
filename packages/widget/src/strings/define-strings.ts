import { sharedState } from '../loader/contract.js';
import type { Strings } from './strings.js';

/** Adds the texts in a language. */
export function defineStrings(language: string, strings: Strings): void {
  (sharedState().strings ??= {})[language] = strings;
}
