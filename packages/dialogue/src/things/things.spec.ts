import { compileScript } from '../script/compile.js';
import { ScriptError, ScriptFile, SharedFile } from '../format/script-file.js';
import { scriptOverlaps } from '../script/overlaps.js';
import { replyTo } from '../reply.js';
import { filesFor, talk } from '../../test/scripts.js';

const EN: ScriptFile = {
  rules: [{ id: 'greeting', answers: ['Hello!'] }],
  fallback: ['?'],
  intents: [
    { id: 'people_age', examples: ['how long do people live', 'how old do people get'], answers: ['Eighty years.'] },
    { id: 'ocean', examples: ['why is the ocean salty', 'salt in the sea'], answers: ['Rivers bring it.'] },
    { id: 'reef', examples: ['what is a coral reef', 'tell me about reefs'], answers: ['Sharks love it there.'] },
  ],
  facts: [{ topics: ['whale'], text: 'A whale sings.' }],
  questions: {
    animal: {
      about: ['what is a {thing}', 'tell me about {thing}'],
      food: ['what do {thing} eat', 'what does a {thing} eat', 'food of {thing}'],
      breath: ['how long can {thing} hold its breath', 'how long can {thing} stay under water'],
      age: ['how long do {thing} live', 'how old do {thing} get', 'how old does a {thing} get'],
      young: ['what are {thing} babies called', 'how many babies do {thing} have'],
    },
    food: {
      about: ['what is {thing}', 'tell me about {thing}'],
      freeze: ['can i freeze {thing}', 'does {thing} freeze well'],
      frozen: ['how long can i freeze {thing}', 'how long does {thing} keep in the freezer'],
      healthy: ['is {thing} good for you', 'is {thing} healthy'],
    },
  },
  things: [
    {
      kind: 'animal',
      names: ['whale', 'whales'],
      says: { about: 'W about.', food: 'W food.', breath: 'W breath: 90 minutes.', age: 'W age.', young: 'W young.' },
    },
    { kind: 'animal', names: ['blue whale'], says: { food: 'B food.' } },
    { kind: 'animal', names: ['shark', 'sharks'], says: { about: 'S about.', food: 'S food.', young: 'S young.' } },
    {
      kind: 'food',
      names: ['salmon'],
      says: { about: 'L about.', freeze: 'L freeze.', frozen: 'L frozen.', healthy: 'L healthy.' },
    },
    { kind: 'food', names: ['tomatoes', 'tomato'], says: { about: 'T about.', freeze: 'T freeze.' } },
  ],
};

const DE: ScriptFile = {
  rules: [{ id: 'greeting', answers: ['Hallo!'] }],
  fallback: ['?'],
  questions: {
    tier: {
      about: ['was ist ein {thing}', 'erzähl mir von {thing}'],
      eier: ['wie viele eier legen {thing}', 'wo legt ein {thing} seine eier'],
      schlaf: ['wie lange schlafen {thing}', 'wann schläft ein {thing}'],
    },
  },
  things: [
    { kind: 'tier', names: ['hummer'], says: { about: 'H about.', schlaf: 'H schlaf.' } },
    { kind: 'tier', names: ['frosch', 'frösche'], says: { about: 'F about.', eier: 'F eier.', schlaf: 'F schlaf.' } },
  ],
};

const last = (turns: readonly string[], file = EN, language = 'en') => talk(file, language, turns).at(-1)!;

describe('a question that names a thing', () => {
  it.each([
    ['what do whales eat?', 'animal.food', 'W food.'],
    ['hey, what does a blue whale eat', 'animal.food', 'B food.'],
    ['any idea how old whales get?', 'animal.age', 'W age.'],
    ['tell me about salmon', 'food.about', 'L about.'],
    ['Salmon?', 'food.about', 'L about.'],
    ['is salmon healthy', 'food.healthy', 'L healthy.'],
    ['can i freeze tomatos', 'food.freeze', 'T freeze.'],
    ['how long do people live?', 'people_age', 'Eighty years.'],
    ['which eats more, a whale or a shark?', 'animal.food', 'W food. S food.'],
  ])('%s: %s', (request, id, answer) => {
    expect(last([request])).toEqual({ id, answer, isAnswered: true });
  });

  it('is answered honestly where the thing has no text for it, with questions that it has', () => {
    const reply = last(['how old do sharks get?']);
    expect(reply).toMatchObject({ id: 'unknown', isAnswered: false });
    expect(reply.answer).toMatch(
      /about sharks.*“(what do sharks eat|what are sharks babies called|how many babies do sharks have)\?”/,
    );
    expect(last(['how old does a shark get?']).answer).toMatch(/about sharks/);
  });

  it('is not answered where it names several', () => {
    expect(last(['what is the difference between a whale and a shark?']).isAnswered).toBe(false);
    expect(last(['what do whales eat, a shark?']).answer).not.toBe('S food.');
  });

  it('is none where something is told', () => {
    expect(last(['I had salmon with my sister']).id).not.toMatch(/^food/);
  });
});

describe('a question that hangs on what was said', () => {
  it.each([
    [['what do whales eat?', 'and how long can they stay under?'], 'animal.breath'],
    [['what do whales eat?', 'and the babies?'], 'animal.young'],
    [['can i freeze salmon?', 'healthy?'], 'food.healthy'],
    [['what do whales eat?', 'what about sharks?'], 'animal.food'],
    [['can I freeze salmon?', 'how long for?'], 'food.frozen'],
    [['can I freeze salmon?', 'and tomatoes?'], 'food.freeze'],
    [['tell me about salmon', 'is it good for you?'], 'food.healthy'],
    [['I bought too much salmon. Can I freeze it?'], 'food.freeze'],
    [['I bought too much salmon', 'can I freeze it?'], 'food.freeze'],
    [['tell me about reefs', 'what do they eat?'], 'animal.food'],
    [['can i freeze salmom?', 'is it healthy?'], 'food.healthy'],
    [['what do whales eat?', 'thanks', 'hm', 'how old do they get?'], 'animal.age'],
  ])('%j: %s', (turns, id) => {
    expect(last(turns).id).toBe(id);
  });

  it('tells more of the thing, as long as there is more', () => {
    const ids = talk(EN, 'en', ['what do sharks eat?', 'tell me more', 'more', 'more']).map(({ id }) => id);
    expect(ids).toEqual(['animal.food', 'animal.about', 'animal.young', 'unknown']);
  });

  it('is about nothing else that is named', () => {
    expect(last(['what do whales eat?', 'how long do cats live?']).answer).not.toMatch(/^W/);
    expect(last(['what do whales eat?', 'how many sharks do they eat?', 'how old do they get?']).id).toBe('animal.age');
    expect(last(['what do whales eat?', 'would they eat a shark?']).answer).not.toMatch(/^S/);
    expect(last(['what do whales eat?', 'why is the ocean salty?', 'how old does it get?']).answer).not.toMatch(/^W/);
  });
});

describe('in German', () => {
  it.each([
    [['Wie lange schlafen Frösche?'], 'tier.schlaf'],
    [['Wie viele Froscheier legen die?'], 'tier.eier'],
    [['Was ist ein Laubfrosch?'], 'tier.about'],
    [['wann schläft ein humer'], 'tier.schlaf'],
    [['Was ist ein Frosch?', 'und wie lange schlafen die?'], 'tier.schlaf'],
  ])('%j: %s', (turns, id) => {
    expect(last(turns, DE, 'de').id).toBe(id);
  });
});

it('fits Spanish names into the questions that it offers', () => {
  const questions = {
    animal: {
      comida: ['son comilones los {thing}', 'qué comen los {thing}', 'qué come un {thing}'],
      edad: ['cuánto vive un {thing}'],
    },
  };
  const things = [{ kind: 'animal', names: ['rana', 'ranas'], says: { comida: 'Moscas.' } }];
  const file: ScriptFile = { rules: [{ id: 'greeting', answers: ['Hola'] }], fallback: ['?'], questions, things };
  expect(last(['¿cuánto vive una rana?'], file, 'es').answer).toMatch(/«¿qué come una rana\?»/);
});

it('takes things of all scripts, of which those of the script go before', () => {
  const shared: SharedFile = {
    questions: { animal: { food: ['what do {thing} eat', 'what does {thing} eat'] } },
    things: [
      { kind: 'animal', names: ['newt'], says: { food: 'N shared.' } },
      { kind: 'animal', names: ['frog'], says: { food: 'F shared.' } },
    ],
  };
  const own = {
    rules: EN.rules,
    fallback: ['?'],
    things: [{ kind: 'animal', names: ['frog'], says: { food: 'F own.' } }],
  };
  const script = compileScript(own, { ...filesFor('en'), shared });
  const says = (request: string) => replyTo({ avatar: { name: 'Zed' }, request, history: [] }, script, [], 0).answer;
  expect([says('what does a newt eat?'), says('what does a frog eat?')]).toEqual(['N shared.', 'F own.']);
});

it('names the faults of things', () => {
  const questions = { animal: { food: ['what do they eat', 'what do {thing} eat'] }, 'No id': {} };
  const things = [
    { kind: 'plant', names: ['fern'], says: { food: 'x' } },
    { kind: 'animal', names: [], says: { drink: 'x', food: '{name} eats' } },
    { kind: 'animal', names: ['newt'], says: {}, text: 'x' },
  ];
  const faultsOf = () => {
    try {
      compileScript({ ...EN, questions, things });
    } catch (error) {
      return (error as ScriptError).faults;
    }
    return [];
  };
  expect(faultsOf()).toEqual([
    "questions.animal.food: 'what do they eat' must have {thing} once",
    'questions.No id: must be a short lower-case name',
    'things[0].kind: is not among questions',
    'things[1].names: must be an array of 1 to 30 texts of up to 2000 characters',
    'things[1].says.drink: is not known here',
    'things[1].says.food: must have no slots',
    'things[2].text: is not known here',
    'things[2].says: must have a text',
  ]);
});

it('names things and questions that may be confused', () => {
  const file: ScriptFile = {
    ...EN,
    questions: { animal: { food: ['what do {thing} eat'], diet: ['What do {thing} eat?', 'is {thing} a hunter'] } },
    things: [
      { kind: 'animal', names: ['newt', 'Newts', 'it'], says: { food: 'Worms.' } },
      { kind: 'animal', names: ['newts'], says: { diet: 'Worms.' } },
    ],
  };
  expect(scriptOverlaps(file, compileScript(file, filesFor('en')))).toEqual([
    "questions.animal.food: 'what do {thing} eat' fits diet as well",
    "questions.animal.diet: 'What do {thing} eat?' fits food as well",
    "things[0] (newt): 'it' is a common word",
    "things[1] (newts): 'newts' is a name of things[0] (newt) too",
    'things[1] (newts).says.diet: is what things[0] (newt).says.food says too',
  ]);
});
