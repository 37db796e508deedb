import type { Passage } from '../passages/passages.js';
import { PassageIndex } from './passage.index.js';
import { continues, isQuotable, quoteOf, sentencesAbout } from './quotes.js';

const passage = (heading: string, text: string, language = 'en'): Passage => ({ heading, text, language });
const found = (index: PassageIndex, question: string, language?: string) =>
  index.search(question, { limit: 5, language }).map((match) => match.passage.heading);

const shop = () => {
  const index = new PassageIndex();
  index.add('a', [
    passage('Warranty', 'The blender has a warranty of two years.'),
    passage('Cleaning', 'Fill the jar of the blender with water.'),
  ]);
  index.add('b', [passage('Öffnungszeiten', 'Der Laden ist am Samstag bis vier geöffnet.', 'de')]);
  return index;
};

describe('PassageIndex', () => {
  it('finds passages by stems, in the language of each, best first', () => {
    const index = shop();
    expect(found(index, 'Are there warranties for blenders?')).toEqual(['Warranty', 'Cleaning']);
    expect(found(index, 'cleaned jars')).toEqual(['Cleaning']);
    expect(found(index, 'Wann öffnet der Laden samstags?')).toEqual(['Öffnungszeiten']);
    expect(found(index, 'Who is the one?')).toEqual([]);
    expect(found(index, '')).toEqual([]);
  });

  it('finds words with a typing error, without accents, and parts of German compounds', () => {
    const index = shop();
    expect(found(index, 'warrenty')).toEqual(['Warranty']);
    expect(found(index, 'offnungszeit')).toEqual(['Öffnungszeiten']);
    expect(found(index, 'Samstagsöffnung')).toEqual(['Öffnungszeiten']);
    expect(found(index, 'guarantee')).toEqual([]);
  });

  it('prefers the language of the question', () => {
    const index = new PassageIndex();
    index.add('a', [passage('English', 'Banana bread'), passage('Deutsch', 'Banana Brot', 'de')]);
    expect(found(index, 'banana', 'de')[0]).toBe('Deutsch');
    expect(found(index, 'banana', 'en')[0]).toBe('English');
  });

  it('forgets removed documents, also after it has compacted itself', () => {
    const index = shop();
    index.remove('b');
    expect([index.size, found(index, 'Laden')]).toEqual([2, []]);
    for (let round = 0; round < 10; round++) {
      index.add('c', [passage('Parking', 'Park behind the house.'), passage('Bus', 'Take the bus to the mill.')]);
      expect(found(index, 'bus')).toEqual(['Bus']);
      index.remove('c');
      expect(found(index, 'bus')).toEqual([]);
    }
    expect([index.size, found(index, 'warranty')]).toEqual([2, ['Warranty']]);
    index.remove('a');
    expect([index.size, found(index, 'warranty')]).toEqual([0, []]);
  });

  it('finds parts of compounds among the words that are left, and such as come again', () => {
    const index = new PassageIndex();
    const words = ['Wasserhahn', 'Dampfschiff', 'Segelschiff'].map((word) => passage(word, `${word}.`, 'de'));
    words.forEach((one) => index.add(one.heading, [one]));
    for (const gone of ['Dampfschiff', 'Wasserhahn']) index.remove(gone);
    expect([found(index, 'Schiff'), found(index, 'Dampfschif'), found(index, 'Hahn')]).toEqual([
      ['Segelschiff'],
      [],
      [],
    ]);
    index.add('b', words.slice(1, 2));
    expect(found(index, 'Schiff').sort()).toEqual(['Dampfschiff', 'Segelschiff']);
  });

  it('reports how much of the question a passage covers', () => {
    const [match] = shop().search('warranty of the toaster', { limit: 1 });
    expect(match!.coverage).toBeGreaterThan(0.2);
    expect(match!.coverage).toBeLessThan(0.55);
    expect(match!.headingCoverage).toBe(match!.coverage);
    expect(isQuotable(match!, 'warranty of the toaster')).toBe(false);
    const about = (question: string) => isQuotable(shop().search(question, { limit: 1 })[0]!, question);
    expect(about('What about the warranty?')).toBe(true);
  });

  it('also quotes for a long question that says most of a heading', () => {
    const index = new PassageIndex();
    index.add('a', [passage('What can I cook that is vegan?', 'Lentils.'), passage('Vegan cheese', 'Nuts.')]);
    const about = (question: string) => isQuotable(index.search(question, { limit: 1 })[0]!, question);
    expect(about("what can i cook for my boyfriend's fortieth birthday, he is vegan and picky")).toBe(true);
    expect(about("where do vegans in my boyfriend's village meet for birthdays")).toBe(false);
  });
});

it.each([
  ['en', 'Band saw', 'It is serviced every 200 hours.', 'How often is the band saw serviced?'],
  ['de', 'Bandsäge', 'Sie wird alle 200 Stunden gewartet.', 'Wie oft wird die Bandsäge gewartet?'],
  ['es', 'Sierra', 'Se revisa cada 200 horas.', '¿Con qué frecuencia se revisa la sierra?'],
  ['fr', 'Scie', 'Elle coûte 900 euros.', 'Combien coûte la scie ?'],
  ['pt', 'Serra', 'É revisada a cada 200 horas.', 'Com que frequência a serra é revisada?'],
])('how often and how many are no subject of a question: %s', (language, heading, text, question) => {
  const index = new PassageIndex();
  index.add('a', [passage(heading, text, language)]);
  expect(index.search(question, { limit: 1, language })[0]!.coverage).toBeCloseTo(1);
});

describe('the title of a document', () => {
  const title = 'Opening hours and rules of the Larkspur kennel';
  const index = new PassageIndex();
  index.add('a', [
    { ...passage(title, 'We take dogs from Monday to Saturday.'), title },
    { ...passage('Prices', 'A night costs 34 euros.'), title },
    passage('Parking', 'Ring the bell.'),
  ]);
  const quoted = (question: string) => {
    const [best] = index.search(question, { limit: 1 });
    return best && isQuotable(best, question) ? best.passage.heading : undefined;
  };

  it('counts for all of its passages, and theirs alone', () => {
    expect(found(index, 'opening hours and rules')).toEqual([title, 'Prices']);
    expect(found(index, 'prices of the Larkspur kennel')[0]).toBe('Prices');
    expect(found(index, 'Larkspur')).toHaveLength(2);
  });

  it('lets a passage be quoted that answers what it does not say, and no other', () => {
    expect(quoted('What are the opening hours of the Larkspur kennel?')).toBe(title);
    expect(quoted('What are the prices of the Larkspur kennel?')).toBe('Prices');
    expect(quoted('Who founded the Larkspur kennel?')).toBeUndefined();
    expect(quoted('Does the Larkspur kennel sell bicycles?')).toBeUndefined();
  });
});

it.each([
  ['Who is the office manager?', true],
  ['Where is the spare key?', true],
  ['Which key does the manager have?', false],
  ['What is spare?', false],
  // A sentence about something else.
  ['How does a neighbour call?', false],
])('two words that a sentence begins with are most of a question: %s', (question, isQuoted) => {
  const index = new PassageIndex();
  index.add('a', [
    passage(
      '',
      'The office manager is called Harriet Oake. The spare key is with the neighbour. On Sundays the neighbour calls.',
    ),
  ]);
  expect(isQuotable(index.search(question, { limit: 1 })[0]!, question)).toBe(isQuoted);
});

describe('a further question', () => {
  const sky = passage(
    'Why is the sky blue?',
    'Blue light is scattered most. In the evening mostly red is left. Air is thin.',
  );

  it('is answered by the sentences of the last quotation that mention most of it', () => {
    expect(sentencesAbout(sky, 'and red in the evening?')).toBe('In the evening mostly red is left.');
    expect(sentencesAbout(sky, 'and who discovered Neptune?')).toBeUndefined();
    expect(sentencesAbout(sky, 'why?')).toBeUndefined();
  });

  it('is answered by a passage that says it, about what was spoken of before', () => {
    expect(continues(sky, 'is it red in the evening?', 'I looked at the blue sky today')).toBe(true);
    expect(continues(sky, 'is it red in the evening?', 'I looked at my cat today')).toBe(false);
    expect(continues(sky, 'is it round?', 'I looked at the blue sky today')).toBe(false);
    expect(continues(sky, 'is it red in the evening?', 'I wear a blue hat')).toBe(false);
    expect(continues(sky, 'why?', 'I looked at the blue sky today')).toBe(false);
  });
});

describe('a quotation', () => {
  const filler = Array.from({ length: 40 }, (_, n) => `Sentence number ${n} says nothing at all.`);
  const text = [...filler, 'The warranty ends after two years.', ...filler].join(' ');

  it('is the whole passage, or of a long one the sentences about the question', () => {
    expect(quoteOf({ passage: { document_id: 'a', ...passage('x', 'Short.') } }, 'x')).toBe('Short.');
    const quote = quoteOf({ passage: { document_id: 'a', ...passage('x', text) } }, 'When does the warranty end?');
    expect(quote).toContain('The warranty ends after two years.');
    expect(quote.split(' ').length).toBeLessThanOrEqual(110);
    expect(text).toContain(quote);
  });
});
