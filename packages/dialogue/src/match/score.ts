import { likeness, Shape, Traits } from '../text/shape.js';
import { Examples } from './examples.js';
import { isSimilar, similarity } from '../text/typos.js';

/** A term of a request. */
interface AskedTerm {
  readonly term: string;
  /** In the index; undefined if no example has it. */
  readonly number?: number;
  readonly weight: number;
}

/** A request, each term with its weight, and which of them say something. */
export interface WeightedRequest {
  readonly terms: readonly AskedTerm[];
  readonly names: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number | undefined>;
  readonly content: ReadonlySet<string>;
  readonly shape?: Shape;
}

/** What an example is compared with besides a request. */
interface Measure {
  /** What the example's terms weigh together. */
  readonly total: number;
  /** Whether a term stands in another example of its intent. */
  readonly isRelated: (number: number | undefined) => boolean;
  readonly traits: Traits;
  /** Those of its terms that it was found by. */
  readonly matched: readonly string[];
  /** Of terms, by their numbers. */
  readonly rarities: Float64Array;
}

/** What a stem from the intent's other examples counts; one word of several. */
const ONE_WORD = 0.93;
const RELATED = 0.45;
/** What is left of a score where a word of the request is not the intent's, and one of the example misses as well. */
const MORE_WORDS = 0.95;
const OTHER_WORDS = 0.88;
/** What is left if nothing of a request is what most of the intent's examples name: "what would people eat?" of sharks. */
const OFF_TOPIC = 0.9;

/** How like a request and an example are: the harmonic mean of how much of each is the same, from 0 to 1. */
export function scoreOf(
  { terms, names, numbers, content, shape }: WeightedRequest,
  examples: Examples,
  id: number,
  { total, isRelated, traits, matched, rarities }: Measure,
): number {
  // Stems that were found by similarity stand in the example, but not in the request.
  const similar =
    matched.length === 0
      ? matched
      : matched.filter((term) => !names.has(term) && [...content].some((one) => isSimilar(term, one)));
  let said = 0;
  let covered = 0;
  let shared = 0;
  let hasOther = false;
  for (const { term, number, weight } of terms) {
    said += weight;
    if (number !== undefined && examples.hasNumber(id, number)) {
      covered += weight;
      if (content.has(term)) shared++;
    } else if (similar.length > 0 && content.has(term) && isSimilarToOne(term, similar)) {
      covered += similarity(term) * weight;
      shared++;
    } else if (isRelated(number)) covered += RELATED * weight;
    else if (content.has(term)) hasOther = true;
  }
  let met = 0;
  let misses = false;
  for (let place = examples.startOf(id); place < examples.startOf(id + 1); place++) {
    const [number, counts] = [examples.numberAt(place), examples.countAt(place)];
    if (numbers.has(number)) met += counts * rarities[number]!;
    else if (similar.length > 0 && similar.includes(examples.nameOf(number)))
      met += similarity(examples.nameOf(number)) * counts * rarities[number]!;
    else if (counts === 1) misses = true;
  }
  const ofRequest = covered / said;
  const ofExample = met / total;
  if (ofRequest + ofExample === 0) return 0;
  const mean = (2 * ofRequest * ofExample) / (ofRequest + ofExample);
  const exampleShape = examples.shapeOf(id);
  const like = shape && exampleShape ? likeness(shape, exampleShape, traits) : 1;
  const isOff = misses && shape?.asks === true && content.size > 0 && isOffTopic(names, similar, traits);
  // One word of several in common may be chance; where others stand instead, it is about something else.
  return (
    like *
    (shared === 1 && content.size > 1 ? ONE_WORD : 1) *
    (!hasOther ? 1 : misses ? OTHER_WORDS : MORE_WORDS) *
    (isOff ? OFF_TOPIC : 1) *
    mean
  );
}

/** Not a closure in a loop, which would be made for each term of each example. */
function isSimilarToOne(term: string, others: readonly string[]): boolean {
  return others.some((other) => isSimilar(other, term));
}

function isOffTopic(terms: ReadonlySet<string>, similar: readonly string[], { topics }: Traits): boolean {
  return topics.length > 0 && !topics.some((term) => terms.has(term) || similar.includes(term));
}
