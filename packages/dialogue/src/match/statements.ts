import { ScriptIntent, SharedFile } from '../format/script-file.js';
import { IntentIndex } from './intent-index.js';
import { Rule } from './rules.js';
import { Terms } from '../text/terms.js';
import { atOnce } from './slices.js';

/** Reactions to what is told, with what finds them. */
export interface Statements {
  readonly rules: readonly Rule[];
  readonly index: () => IntentIndex;
  /** Makes the index in steps. */
  readonly prepare: () => Generator<void, IntentIndex, void>;
}

/** Stories differ in what else they name: a word that no statement has counts as one that every eighth has. */
const OTHERS = 8;

/** Those that were made, for the next script of that language. */
const known = new WeakMap<SharedFile, Statements>();

export function statementsOf(shared: SharedFile, terms: Terms, ruleOf: (entry: ScriptIntent) => Rule): Statements {
  const made = known.get(shared) ?? newStatements(shared.statements ?? [], terms, ruleOf);
  known.set(shared, made);
  return made;
}

function newStatements(
  entries: readonly ScriptIntent[],
  terms: Terms,
  ruleOf: (entry: ScriptIntent) => Rule,
): Statements {
  const intents = entries.map((entry) => ({ rule: ruleOf(entry), examples: entry.examples, isGeneral: false }));
  let index: IntentIndex | undefined;
  // Words of what is talked about are no typing errors of what is told.
  const options = { isWord: (term: string) => terms.isKnown(term), intentsOfOthers: intents.length / OTHERS };
  const prepare = function* () {
    return (index ??= yield* IntentIndex.made(intents, terms, options));
  };
  return { rules: intents.map(({ rule }) => rule), index: () => index ?? atOnce(prepare()), prepare };
}
