import { ScriptFile } from '../format/script-file.js';
import { talk } from '../../test/scripts.js';

const RULES = { rules: [{ id: 'greeting', answers: ['Hello!'] }], fallback: ['?'] };

const EN: ScriptFile = {
  ...RULES,
  intents: [
    {
      id: 'bread',
      examples: ['how do i make bread', 'bread recipe'],
      answers: ['Stir it for one minute. Cover the bowl. Ready for the next step?'],
      then: [
        {
          match: ['yes', 'next'],
          answers: ['Let it rise for twelve hours. Then shape a loaf. Shall we carry on?'],
          then: [{ match: ['yes', 'next'], answers: ['Into the oven at 240 degrees, 45 minutes.'] }],
        },
        { match: ['how do i keep it fresh'], answers: ['In a cloth.'] },
      ],
    },
    { id: 'roast_times', examples: ['how long in the oven', 'roast in the oven'], answers: ['A roast: two hours.'] },
    { id: 'freezing', examples: ['can i freeze it', 'freezing food'], answers: ['Most soups freeze well.'] },
    { id: 'volcano', examples: ['why do volcanoes erupt', 'volcano eruption'], answers: ['Gas drives the rock out.'] },
    { id: 'sea_salt', examples: ['why is the sea salty', 'salt in the sea'], answers: ['Rivers bring it.'] },
    {
      id: 'sun_far',
      examples: ['how far is the sun', 'distance to the sun'],
      answers: ['Far. Light needs 8 minutes.'],
    },
  ],
  facts: [{ topics: ['bread'], text: 'Bread is old.' }],
  questions: {
    dish: {
      about: ['what is {thing}', 'how do i make {thing}'],
      freeze: ['can i freeze {thing}', 'does {thing} freeze well'],
      trouble: ['my {thing} is tough', 'why is {thing} always dry', 'my {thing} did not rise'],
      instead: ['no {thing}', 'what can i use instead of {thing}'],
    },
    space: {
      about: ['what is {thing}', 'tell me about {thing}'],
      heat: ['how hot is {thing}', 'what temperature does {thing} have'],
      moons: ['how many moons does {thing} have', 'moons of {thing}'],
    },
    nature: { about: ['what is a {thing}'], where: ['where are there {thing}', 'where is a {thing}'] },
  },
  things: [
    {
      kind: 'dish',
      names: ['muffins', 'muffin'],
      says: { about: 'Stir briefly, 20 minutes at 180 degrees.', freeze: 'M freeze.', trouble: 'M trouble.' },
    },
    { kind: 'dish', names: ['lemon'], says: { about: 'L about.', instead: 'L instead.' } },
    { kind: 'space', names: ['sun', 'the sun'], says: { about: 'S about.', heat: 'S heat.' } },
    { kind: 'space', names: ['light'], says: { about: 'Light about.' } },
    { kind: 'space', names: ['saturn'], says: { about: 'Saturn about.', moons: 'Saturn moons.' } },
    { kind: 'space', names: ['moon', 'moons', 'the moon'], says: { about: 'Moon about.' } },
    { kind: 'nature', names: ['volcano', 'volcanoes'], says: { about: 'V about.', where: 'V where.' } },
  ],
};

const DE: ScriptFile = {
  ...RULES,
  intents: [
    {
      id: 'suppe',
      examples: ['wie koche ich hühnersuppe', 'rezept für hühnersuppe'],
      answers: ['Ein Suppenhuhn, zwei Möhren. Kalt aufsetzen, zwei Stunden leise ziehen lassen. Fleisch lösen.'],
    },
    { id: 'travel', examples: ['ich würde gern fliegen', 'fliegst du gern', 'fliegen'], answers: ['Ans Nordlicht.'] },
  ],
  facts: [{ topics: ['suppe'], text: 'Suppe ist alt.' }],
  questions: {
    tier: {
      about: ['was ist ein {thing}'],
      alter: ['wie alt werden {thing}', 'wie alt wird ein {thing}'],
      flug: ['können {thing} fliegen', 'kann ein {thing} fliegen'],
      kalt: ['frieren {thing} nicht', 'ist {thing} nicht kalt'],
    },
  },
  things: [
    {
      kind: 'tier',
      names: ['pinguin', 'pinguine'],
      says: { about: 'P about.', alter: 'P alter.', flug: 'P flug.', kalt: 'P kalt.' },
    },
  ],
};

const ES: ScriptFile = {
  ...RULES,
  intents: [
    { id: 'me', examples: ['eres peligroso', 'eres un peligro'], answers: ['Soy un programa.'] },
    { id: 'casa', examples: ['dónde vivo yo', 'dónde vives'], answers: ['En casa.'] },
  ],
  facts: [{ topics: ['casa'], text: 'Casa vieja.' }],
  questions: {
    animal: {
      about: ['qué es un {thing}'],
      lugar: ['dónde viven los {thing}', 'dónde vive un {thing}'],
      huevos: ['ponen huevos los {thing}', 'cuántos huevos pone un {thing}'],
      peligro: ['es peligroso un {thing}', 'son peligrosos los {thing}'],
    },
    plato: { about: ['qué es {thing}'], grumos: ['me salen grumos en {thing}', 'mi {thing} tiene grumos'] },
  },
  things: [
    {
      kind: 'animal',
      names: ['tortuga', 'tortugas'],
      says: { about: 'T about.', lugar: 'T lugar.', huevos: 'T huevos.', peligro: 'T peligro.' },
    },
    { kind: 'plato', names: ['bechamel'], says: { about: 'B about.', grumos: 'B grumos.' } },
  ],
};

const last = (turns: readonly string[], file = EN, language = 'en') => talk(file, language, turns).at(-1)!;

describe('a recipe', () => {
  it.each([
    [['how long must it rise?'], /^Let it rise for twelve hours/],
    [['how long must it rise?', 'what temperature does the oven need?'], /^Into the oven at 240/],
    [['what comes after covering the bowl?'], /^Let it rise for twelve/],
    [['how long must it rise?', 'how high is everest', 'yes next step please'], /^Let it rise .* carry on\?$/],
    [['next', 'next', 'next step please'], /all I know|everything I have/],
  ])('is gone on with: %j', (turns, expected) => {
    expect(last(['how do i make bread', ...turns]).answer).toMatch(expected);
  });

  it('tells in German how long, though it names it otherwise', () => {
    expect(last(['wie koche ich hühnersuppe', 'wie lange muss das huhn kochen'], DE, 'de').answer).toMatch(/^Kalt auf/);
  });

  it('has follow-ups as long as what came since hung on it', () => {
    expect(last(['how do i make bread', 'can it be blue', 'how do i keep it fresh']).answer).toBe('In a cloth.');
    expect(last(['how do i make bread', 'how far is the sun', 'how do i keep it fresh']).answer).not.toBe(
      'In a cloth.',
    );
  });

  it('that is a thing tells what was not asked yet', () => {
    expect(last(['how do i make muffins', 'how long do they bake']).answer).toMatch(/^Stir briefly/);
    expect(last(['how do i make muffins', 'can i freeze them']).answer).toBe('M freeze.');
  });
});

describe('what points back', () => {
  it.each([
    [['how far is the sun', 'how long does the light need', 'how hot is it'], 'space.heat'],
    [['tell me about saturn', 'how many moons'], 'space.moons'],
    [['tell me about saturn', 'what about the moon'], 'space.about'],
    [['where are there volcanoes', 'why do they erupt'], 'volcano'],
    [['my volcano lost its top', 'where is it'], 'nature.where'],
    [['why is the sea salty', 'why is it round'], 'unknown'],
  ])('is understood: %j: %s', (turns, id) => {
    expect(last(turns).id).toBe(id);
  });

  it.each([
    [['was ist ein pinguin', 'wie alt werden die'], 'tier.alter'],
    [['was ist ein pinguin', 'können die fliegen'], 'tier.flug'],
    [['was ist ein pinguin', 'frieren die nicht'], 'tier.kalt'],
    [['mein pinguin hat seine federn verloren', 'wird der alt'], 'tier.alter'],
  ])('is understood in German by an article alone: %j: %s', (turns, id) => {
    expect(last(turns, DE, 'de').id).toBe(id);
  });

  it.each([
    [['qué es una tortuga', 'dónde viven'], 'animal.lugar'],
    [['qué es una tortuga', 'son peligrosas'], 'animal.peligro'],
    [['ponen huevos las tortugas'], 'animal.huevos'],
    [['qué es una tortuga', 'cuántos huevos pone'], 'animal.huevos'],
    [['eres peligroso', 'a qué temperatura está'], 'unknown'],
  ])('is understood in Spanish where it is left out: %j: %s', (turns, id) => {
    expect(last(turns, ES, 'es').id).toBe(id);
  });
});

describe('a statement on a thing', () => {
  it.each([
    [['my muffins are always dry'], 'dish.trouble'],
    [['what is a muffin', 'mine are always dry'], 'dish.trouble'],
    [['i have no lemon'], 'dish.instead'],
    [['my sister likes muffins'], 'unknown'],
  ])('that means a question is answered: %j: %s', (turns, id) => {
    expect(last(turns).id).toBe(id);
  });

  it('is answered in Spanish', () => {
    expect(last(['qué es la bechamel', 'me salen grumos'], ES, 'es').answer).toBe('B grumos.');
  });
});
