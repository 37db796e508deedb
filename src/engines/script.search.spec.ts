import fc from 'fast-check';
import MiniSearch from 'minisearch';
import { ExampleSearch } from './script.search.js';
import { editsOf } from './script.typos.js';

const MOST = 50;
const term = fc.constantFrom(
  'moon',
  'mood',
  'moons',
  'planet',
  'plant',
  'planets',
  'distance',
  'instance',
  'far',
  'how',
);
const example = fc.uniqueArray(term, { minLength: 1, maxLength: 5 });

/** What MiniSearch finds, the best first, each with the terms that it was found by. */
function foundByMiniSearch(examples: readonly string[][], request: readonly string[]) {
  const search = new MiniSearch({
    fields: ['terms'],
    tokenize: (text) => text.split(' '),
    processTerm: (text) => text,
  });
  search.addAll(examples.map((terms, id) => ({ id, terms: terms.join(' ') })));
  const found = search.search({ combineWith: 'OR', queries: [...request] }, { fuzzy: editsOf, prefix: false });
  return found.map(({ id, score, match }) => ({ id: id as number, score, terms: Object.keys(match).sort() }));
}

describe('the search for examples', () => {
  it('finds and ranks as MiniSearch does', () => {
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 12 }), example, (examples, request) => {
        const search = new ExampleSearch();
        examples.forEach((terms, id) => search.add(id, terms));
        const found = search.find(request, MOST, editsOf);
        const expected = foundByMiniSearch(examples, request);
        const scores = new Map(expected.map(({ id, score }) => [id, score]));
        expect(found.map(({ id, terms }) => ({ id, terms: [...terms].sort() })).sort((a, b) => a.id - b.id)).toEqual(
          expected.map(({ id, terms }) => ({ id, terms })).sort((a, b) => a.id - b.id),
        );
        // Examples that score the same may change places.
        found.forEach(({ id }, index) => expect(scores.get(id)).toBeCloseTo(expected[index]!.score, 9));
      }),
    );
  });

  it('finds no more than are wanted, and nothing in nothing', () => {
    const search = new ExampleSearch();
    expect(search.find(['moon'], 3, editsOf)).toEqual([]);
    for (let id = 0; id < 5; id++) search.add(id, ['moon']);
    expect(search.find(['moon'], 3, editsOf).map(({ id }) => id)).toEqual([0, 1, 2]);
  });
});
