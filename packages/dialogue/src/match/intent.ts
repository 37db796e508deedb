import { Rule } from './rules.js';
import { ExampleTerms } from '../text/terms.js';

/** What may be answered, by examples of how people ask for it. */
export interface Intent {
  readonly rule: Rule;
  /** Whether intents of the script itself go before it if they fit nearly as well. */
  readonly isGeneral: boolean;
  readonly examples: readonly string[];
}

/** Examples of an intent of the same content. */
export interface Group {
  readonly intent: number;
  /** The terms that they are found by. */
  readonly wanted: readonly string[];
  readonly isPlain: boolean;
  readonly variants: ExampleTerms[];
}

/** The intent that a request may mean. */
export interface IntentMatch {
  readonly rule: Rule;
  /** Whether it is for all scripts. */
  readonly isGeneral: boolean;
  /** From 0 to 1: how much of the request and of an example is the same. */
  readonly score: number;
  /** How far it is ahead of the next best rule. */
  readonly lead: number;
  readonly second?: { readonly rule: Rule; readonly score: number };
  /** Of the rule's examples, how many name all that the request does, from 0 to 1. */
  readonly share: number;
  /** What the request names that none of them does. */
  readonly unmet: readonly string[];
  /** The example that is most like it, and what most examples of the rule name. */
  readonly example: ExampleTerms;
  readonly topics: readonly string[];
}

/** How an index of intents compares. */
export interface IndexOptions {
  /** How many examples of the same content are kept; 4 if left out. */
  readonly mostVariants?: number;
  /** Whether a term is no typing error; those of examples are none. */
  readonly isWord?: (term: string) => boolean;
  /** As a word of how many intents one counts that no example has: the fewer, the more it says. Less than one if left out. */
  readonly intentsOfOthers?: number;
}
