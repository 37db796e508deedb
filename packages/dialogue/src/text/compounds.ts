import type { Terms, TermWeights } from './terms.js';

/** Languages that write compounds as one word. */
const WITH_COMPOUNDS = ['de'];
const SHORTEST_PART = 4;
/** A compound is a kind of its last part: `Süßkartoffel` is no sweet. */
const FRONT_COUNTS = 0.5;
const LONGEST_WORD = 40;
/** Terms of this length on are alike if one begins with the other. */
const LEAST_ALIKE = 5;
/** What may stand between the parts of a compound: `Geburt-s-tag`, `Hühn-er-suppe`. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'e'];

/**
 * Reads compounds that nobody knows as their parts: `regenwolken` as `regen` and `wolken`, `linsensuppe` as `linsen` and
 * `suppe`.
 *
 * @param isKnown whether a term is among those that are looked for
 */
export function withParts(terms: TermWeights, { language, stemOf }: Terms, isKnown: (term: string) => boolean) {
  if (!WITH_COMPOUNDS.includes(language.slice(0, 2))) return terms;
  if (![...terms].some(([term]) => isCandidate(term) && !isKnown(term))) return terms;
  const split = new Map<string, number>();
  const add = (term: string, weight: number) => split.set(term, Math.max(weight, split.get(term) ?? 0));
  for (const [term, weight] of terms) {
    const parts = isCandidate(term) && !isKnown(term) ? partsOf(term, stemOf, isKnown) : undefined;
    if (!parts) {
      add(term, weight);
      continue;
    }
    const [front, last] = parts;
    add(last, weight);
    add(front, weight * FRONT_COUNTS);
  }
  return split;
}

/** Whether a text names all of some terms, be it with another ending or as a part of a compound. */
export function namesAll(
  text: TermWeights,
  named: readonly string[],
  language: Terms,
  isKnown: (term: string) => boolean,
): boolean {
  const said = [...text.keys(), ...withParts(text, language, isKnown).keys()];
  return named.every((term) => said.some((one) => one === term || isAlike(one, term)));
}

function isAlike(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= LEAST_ALIKE && (one.startsWith(other) || other.startsWith(one));
}

function isCandidate(term: string): boolean {
  return term.length >= 2 * SHORTEST_PART && term.length <= LONGEST_WORD && /^\p{L}+$/u.test(term);
}

/** A compound in two: the stems of both parts, and the last as it is written. */
export interface Halves {
  readonly front: string;
  /** The first as it is written, without what links it. */
  readonly begin: string;
  readonly last: string;
  readonly rest: string;
}

/**
 * All ways to read a compound as two parts.
 *
 * @param isLast whether a stem may be the last part
 */
export function halvesOf(word: string, { language, stemOf }: Terms, isLast: (term: string) => boolean): Halves[] {
  const halves: Halves[] = [];
  if (!WITH_COMPOUNDS.includes(language.slice(0, 2)) || !isCandidate(word)) return halves;
  for (let at = SHORTEST_PART - 1; at < word.length - 2; at++) {
    const rest = word.slice(at);
    const last = stemOf(rest);
    if (!isLast(last)) continue;
    const front = word.slice(0, at);
    for (const link of LINKS)
      if (front.endsWith(link) && front.length - link.length >= SHORTEST_PART - 1) {
        const begin = front.slice(0, front.length - link.length);
        halves.push({ front: stemOf(begin), begin, last, rest });
      }
  }
  return halves;
}

/** Two known parts, or else the longest known last part. */
function partsOf(term: string, stemOf: (word: string) => string, isKnown: (term: string) => boolean) {
  let half: readonly [string, string] | undefined;
  for (let at = SHORTEST_PART; at <= term.length - SHORTEST_PART; at++) {
    const last = stemOf(term.slice(at));
    if (!isKnown(last)) continue;
    const front = term.slice(0, at);
    for (const link of LINKS) {
      if (!front.endsWith(link) || front.length - link.length < SHORTEST_PART - 1) continue;
      const stem = stemOf(front.slice(0, front.length - link.length));
      if (isKnown(stem)) return [stem, last] as const;
    }
    half ??= [front, last];
  }
  return half;
}
