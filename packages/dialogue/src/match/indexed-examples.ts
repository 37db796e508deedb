import { Group, IndexOptions, Intent } from './intent.js';
import { Rule } from './rules.js';
import { Shape, Traits, traitsOf } from '../text/shape.js';
import { Terms } from '../text/terms.js';
import { GENERAL_HANDICAP } from './scores.js';

const MOST_VARIANTS = 4;

/** What an index of intents is made of. */
export interface IndexedExamples {
  readonly rules: readonly Rule[];
  /** What the score of each counts less. */
  readonly handicaps: readonly number[];
  readonly traits: readonly Traits[];
  /** The numbers of all terms, from 0 on. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The numbers of the terms of each intent. */
  readonly vocabularies: readonly ReadonlySet<number>[];
  readonly groups: readonly Group[];
}

/** Reads the examples of intents, one intent a step. */
export function* indexExamples(
  intents: readonly Intent[],
  language: Terms,
  { mostVariants = MOST_VARIANTS }: IndexOptions,
): Generator<void, IndexedExamples, void> {
  const numbers = new Map<string, number>();
  const numberOf = (term: string): number => {
    const number = numbers.get(term) ?? numbers.size;
    numbers.set(term, number);
    return number;
  };
  const traits: Traits[] = [];
  const vocabularies: Set<number>[] = [];
  const all: Group[] = [];
  for (const [intent, { examples, isGeneral }] of intents.entries()) {
    const vocabulary = new Set<number>();
    const groups = new Map<string, Group>();
    const shapes: Shape[] = [];
    const contents: string[][] = [];
    for (const example of examples) {
      const terms = language.ofExample(example, isGeneral);
      if (terms.terms.length === 0) continue;
      for (const term of terms.terms) vocabulary.add(numberOf(term));
      if (terms.shape) shapes.push(terms.shape);
      const content = terms.content();
      contents.push(content);
      const isPlain = content.length === 0;
      const wanted = isPlain ? terms.terms : content;
      const key = wanted.toSorted().join(' ');
      const group = groups.get(key);
      if (!group) groups.set(key, { intent, wanted, isPlain, variants: [terms] });
      else if (group.variants.length < mostVariants) group.variants.push(terms);
    }
    traits.push(traitsOf(shapes, contents));
    vocabularies.push(vocabulary);
    all.push(...groups.values());
    yield;
  }
  return {
    rules: intents.map(({ rule }) => rule),
    handicaps: intents.map(({ isGeneral }) => (isGeneral ? GENERAL_HANDICAP : 0)),
    traits,
    numbers,
    vocabularies,
    groups: all,
  };
}
