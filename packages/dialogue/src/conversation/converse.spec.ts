import { join } from 'node:path';
import { compileScript } from '../script/compile.js';
import { ScriptError, ScriptFile } from '../format/script-file.js';
import { scriptOverlaps } from '../script/overlaps.js';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, filesFor, readScript } from '../../test/scripts.js';

const file: ScriptFile = {
  rules: [
    { id: 'crisis', match: ['want to die'], priority: 100, answers: ['Please call for help. Is someone with you?'] },
    { id: 'tell_name', match: ['my name is {name}'], answers: ['Hello {Name}'] },
    { id: 'food', match: ['eat*', 'food'], answers: ['Food!'] },
    { id: 'yes', answers: ['Fine.'] },
  ],
  intents: [
    {
      id: 'moon_distance',
      examples: ['how far away is the moon', 'distance to the moon', 'how many kilometres to the moon'],
      answers: ['Far. Do you want to go?'],
      then: [
        { match: ['@yes'], answers: ['Pack!'] },
        { match: ['@no'], answers: ['Stay.'] },
      ],
    },
    { id: 'sun_distance', examples: ['how far away is the sun', 'distance to the sun'], answers: ['Very far.'] },
    { id: 'cook_rice', examples: ['how do i cook rice', 'boiling rice'], answers: ['In water.'] },
    { id: 'star_age', examples: ['how old do stars get', 'how long does a star live'], answers: ['Very old.'] },
    { id: 'lost_key', examples: ['i lost my key', 'i lost my keys again'], answers: ['Look in your pockets.'] },
    { id: 'your_name', examples: ['what should i call you', 'what do i call you'], answers: ['Zed.'] },
    {
      id: 'mood',
      examples: ['what do you do', 'tell me what you do'],
      answers: ['What do you do?'],
      then: [{ answers: ['I see.'] }],
    },
  ],
  facts: [
    { topics: ['moon', 'craters'], text: 'The Moon has craters.' },
    { topics: ['moon'], text: 'The Moon has moonquakes.' },
    { topics: ['tea'], text: 'Tea is a leaf.' },
  ],
  topics: ['the moon', 'tea', 'rice', 'the sun', 'maps', 'stones'],
  unknown: ['No idea. But {topics}?', 'I cannot say. Try {topics}.'],
  heard: ['Well. We could talk about {topics}.'],
  fallback: ['?'],
  acknowledge: [
    { id: 'ack_bad', match: ['(terrible|broken)'], priority: 60, answers: ['I am sorry.'] },
    { id: 'ack_person', match: ['my {who:1} (is|has)'], answers: ['And how is that for you?'] },
  ],
  shared: false,
};
const script = compileScript(file, { language: 'en', phrases: filesFor('en').phrases });

function talk(...requests: string[]) {
  const history: { request: string; answer: string }[] = [];
  const avatar = { name: 'Zed' };
  const ids = requests.map((request) => {
    const reply = replyTo({ avatar, request, history: [...history] }, script, [german], 0);
    history.push({ request, answer: reply.answer });
    return reply.id;
  });
  return { ids, answers: history.map(({ answer }) => answer) };
}
const german = compileScript(
  {
    rules: [{ id: 'crisis', match: ['will sterben'], answers: ['Bitte hol dir Hilfe.'] }],
    fallback: ['?'],
    shared: true,
  },
  { language: 'de' },
);

it.each([
  ['how far is the moon?', 'moon_distance'],
  ['the moon, how far away is it', 'moon_distance'],
  ['Whats the distnace to the moon', 'moon_distance'],
  ['Hi Zed! I like the night sky. How far away would the moon be?', 'moon_distance'],
  ["I'm hungry, how do I cook rice?", 'cook_rice'],
  ['cooking rice', 'cook_rice'],
  ['tell me something about tea', 'fact'],
  ['tea', 'fact'],
  ['cooking rice Zed', 'cook_rice'],
  ['tell me a joke about tea', 'unknown'],
  ['is it safe to eat raw chicken', 'unknown'],
  ['how far is the pub?', 'unknown'],
  // Other words stand where those of the example did.
  ['how long do tortoises live', 'unknown'],
  ['how long do stars live', 'star_age'],
  // A statement is compared with statements, and with those of the same person.
  ['maybe i should call her', 'unknown'],
  ['i lost my key', 'lost_key'],
  ['i did not lose my old key', 'unknown'],
  ['my brother lost his old key', 'unknown'],
  // The mood goes before the kind.
  ['my sister is terrible', 'ack_bad'],
  ['my sister is on a business trip', 'ack_person'],
  ['is my sister terrible?', 'unknown'],
  ['my son asked me how far away the moon is', 'moon_distance'],
  // What is said beside it is not what is answered.
  ['Yes! My bicycle is broken.', 'ack_bad'],
  ['Yes! Who was Ludwig?', 'unknown'],
  ['is it far', 'unknown'],
  ['eating', 'food'],
  ['', 'unknown'],
  ['😀', 'unknown'],
  ['x'.repeat(8_000), 'unknown'],
  ['how '.repeat(2_000), 'unknown'],
])('%s → %s', (request, id) => {
  expect(talk(request).ids).toEqual([id]);
});

describe('a follow-up', () => {
  it.each([
    ['yes please', 'Pack!'],
    ['no', 'Stay.'],
    ['how far is the sun?', 'Very far.'],
    ['yes, but how do i cook rice?', 'In water.'],
    ['and the sun?', 'Very far.'],
    ['is it far to the sun?', 'Very far.'],
  ])('takes %s only if it fits', (request, answer) => {
    expect(talk('how far is the moon', request).answers[1]).toBe(answer);
  });

  it('without phrases takes a short reply that does not ask', () => {
    expect(talk('what do you do', 'mostly nothing').answers[1]).toBe('I see.');
    expect(talk('what do you do', 'who is the queen of Sheba?').ids[1]).toBe('unknown');
    expect(talk('what do you do', 'we drove to the coast and my brother lost his new phone').ids[1]).toBe('unknown');
  });

  it('tells another fact, and one on the first topic that was offered', () => {
    const { ids, answers } = talk('tell me something about the moon', 'more');
    expect(ids).toEqual(['fact', 'fact']);
    expect(answers[0]).not.toBe(answers[1]);
    const offered = talk('what is a quorum?', 'yes');
    expect(offered.ids[1]).toMatch(/fact|cook_rice|sun_distance|yes/);
  });
});

it('says what it does not know, and offers other topics each time', () => {
  const { answers } = talk('who was Ludwig?', 'who was Berta?');
  const offered = answers.map((answer) => file.topics!.filter((topic) => answer.includes(topic)));
  expect(offered[0]).toHaveLength(3);
  expect(offered[1]).toHaveLength(3);
  expect(offered[0]!.filter((topic) => offered[1]!.includes(topic))).toEqual([]);
  expect(talk('we went to the lake').answers[0]).toMatch(/^Well\./);
});

it('recognises danger in another language, and answers in that', () => {
  expect(talk('ich will sterben').answers).toEqual(['Bitte hol dir Hilfe.']);
  expect(talk('i want to die. how far is the moon?').ids).toEqual(['crisis']);
});

it('gives safe answers to questions of health, law and food that nothing else answers', () => {
  const shared = compileScript({ rules: file.rules, fallback: ['?'], shared: true }, filesFor('en'));
  const avatar = { name: 'Zed' };
  const idOf = (request: string) => replyTo({ avatar, request, history: [] }, shared, [], 0).id;
  expect(idOf('can i take ibuprofen every day?')).toBe('safe_medical');
  expect(idOf('can i take ibuprofen with wine?')).toBe('danger_medicine');
  expect(idOf('can my landlord do that?')).toBe('safe_legal');
  expect(idOf('is it safe to eat raw chicken')).toBe('safe_food');
  expect(idOf('my father has stopped breathing')).toBe('emergency');
});

it.each<[Partial<Record<keyof ScriptFile, unknown>>, string]>([
  [{ intents: [{ id: 'x', examples: ['one'], answers: ['y'] }] }, 'intents[0].examples: must be an array of 2'],
  [{ intents: [{ id: 'food', examples: ['a', 'b'], answers: ['y'] }] }, 'intents[0].id: is used twice'],
  [{ intents: [{ id: 'x', examples: ['a', 'b'], answers: ['{who}'] }] }, 'needs an answer without slots'],
  [{ facts: [{ topics: [], text: 'x' }] }, 'facts[0].topics: must be'],
  [{ topics: ['a', 'b'] }, 'topics: must be an array of 3'],
  [{ unknown: ['{what}'] }, 'unknown: needs an answer without slots'],
  [{ shared: 'yes' }, 'shared: must be true or false'],
])('a faulty script is refused: %j', (changes, fault) => {
  let faults: readonly string[] = [];
  try {
    compileScript({ ...file, ...changes }, { phrases: filesFor('en').phrases });
  } catch (error) {
    faults = (error as ScriptError).faults;
  }
  expect(faults.join('\n')).toContain(fault);
});

it('finds what makes a script answer beside the point', () => {
  const intents = [
    ...file.intents!,
    {
      id: 'moon_again',
      examples: ['distance to the moon', 'the moon is how far away'],
      answers: ['{mood} Far.', 'Far.'],
    },
  ];
  const faulty: ScriptFile = { ...file, intents, topics: ['the moon', 'tea', 'opera'], unknown: ['No.'] };
  const faults = scriptOverlaps(faulty, compileScript(faulty, { language: 'en', phrases: filesFor('en').phrases }));
  expect(faults).toEqual([
    "intents (moon_distance): 'how far away is the moon' fits moon_again as well",
    "intents (moon_distance): 'distance to the moon' fits moon_again as well",
    "intents (moon_again): 'distance to the moon' is an example of moon_distance too",
    "intents (moon_again): 'the moon is how far away' fits moon_distance as well",
    'moon_again: nothing fills {mood}',
    "unknown: 'No.' offers no topics",
    "topics: nothing is known about 'opera'",
  ]);
  expect(scriptOverlaps(file, script)).toEqual([
    "topics: nothing is known about 'maps'",
    "topics: nothing is known about 'stones'",
  ]);
});

/** What shipped scripts answer to, by the identifiers of their rules and intents. */
describe.each<[string, string, string[], string[]]>([
  ['takes no "is it true that" for a yes', 'ada/de', ['Stimmt es, dass der Mond aus Käse ist?'], ['unknown']],
  ['splits German compounds', 'ada/de', ['Wie entstehen Regenwolken?'], ['clouds_rain']],
  ['leaves compounds that it does not know', 'ada/de', ['Was ist ein Schraubenzieher?'], ['unknown']],
  [
    'takes no offer for thanks',
    'mira/es',
    ['¿cuánta gente cabía en un zeppelín?', 'ok gracias'],
    ['unknown', 'thanks'],
  ],
  ['takes an offer with thanks', 'ada/en', ['What about gondolas?', 'yes, thanks'], ['unknown', 'fact']],
  ['hears behind a preposition', 'mira/es', ['desde ayer estoy triste'], ['sad_without_reason']],
  ['hears nothing where nothing is said of the user', 'mira/de', ['Auf dem Tisch steht eine Vase'], ['unknown']],
  [
    'is told, and not asked, by what comes later',
    'mira/de',
    ['Seit Montag habe ich einen neuen Job'],
    ['news_good_job'],
  ],
])('a shipped script', (does, name, requests, ids) => {
  it(does, () => {
    const [avatar = '', language = ''] = name.split('/');
    const shipped = readScript(join(SHIPPED_SCRIPTS, avatar)).get(language)!;
    const history: { request: string; answer: string }[] = [];
    const heard = requests.map((request) => {
      const said = { avatar: { name: avatar }, request, history: [...history] };
      const { id, answer } = replyTo(said, shipped, [], 0);
      history.push({ request, answer });
      return id;
    });
    expect(heard).toEqual(ids);
  });
});
