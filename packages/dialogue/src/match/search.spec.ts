import fc from 'fast-check';
import MiniSearch from 'minisearch';
import { ExampleSearch } from './search.js';
import { isMisspellable } from '../text/typos.js';

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

function searchOf(examples: readonly (readonly string[] | undefined)[]): ExampleSearch {
  const terms = [...new Set(examples.flatMap((terms) => terms ?? []))];
  return new ExampleSearch(examples, new Map(terms.map((one, number) => [one, number])));
}

/** What MiniSearch finds, the best first. */
function foundByMiniSearch(examples: readonly string[][], request: readonly string[]) {
  const search = new MiniSearch({
    fields: ['terms'],
    tokenize: (text) => text.split(' '),
    processTerm: (text) => text,
  });
  search.addAll(examples.map((terms, id) => ({ id, terms: terms.join(' ') })));
  const found = search.search({ combineWith: 'OR', queries: [...request] }, { prefix: false });
  return found.map(({ id, score }) => ({ id: id as number, score }));
}

describe('the search for examples', () => {
  it('finds and ranks as MiniSearch does', () => {
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 12 }), example, (examples, request) => {
        const found = searchOf(examples).find(request, MOST, () => false);
        const expected = foundByMiniSearch(examples, request);
        const scores = new Map(expected.map(({ id, score }) => [id, score]));
        expect(found.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        // Examples that score the same may change places.
        found.forEach(({ id }, index) => expect(scores.get(id)).toBeCloseTo(expected[index]!.score, 9));
      }),
    );
  });

  it('finds terms with typing errors behind those without', () => {
    const search = searchOf([
      ['distence'],
      ['instance'],
      ['distance', 'planet'],
      undefined,
      ['distant'],
      ['mitochondria'],
    ]);
    expect(search.find(['distance'], MOST, isMisspellable)).toEqual([
      { id: 2, similar: [] },
      { id: 0, similar: ['distence'] },
    ]);
    expect(search.find(['mitokondria'], MOST, isMisspellable)).toEqual([{ id: 5, similar: ['mitochondria'] }]);
    expect(search.find(['plante'], MOST, isMisspellable)).toEqual([{ id: 2, similar: ['planet'] }]);
    expect(search.find(['distance'], MOST, () => false)).toHaveLength(1);
  });

  it('finds no more than are wanted, and nothing in nothing', () => {
    expect(searchOf([]).find(['moon'], 3, isMisspellable)).toEqual([]);
    const search = searchOf(Array.from({ length: 5 }, () => ['moon']));
    expect(search.find(['moon'], 3, isMisspellable).map(({ id }) => id)).toEqual([0, 1, 2]);
  });
});
