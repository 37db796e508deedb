import { LanguageBook } from '../script/language-book.js';
import { CompiledScript } from '../script/compiled-script.js';
import { readScript, scriptAlone, talk } from '../../test/scripts.js';

const mira = readScript('mira');

const idsOf = (language: string, requests: readonly string[]) =>
  talk(mira.in(language), requests, { name: 'Mira' }).map(({ id }) => id);

it.each([
  [
    'en',
    [
      'i dont want to be here anymore',
      'my mum is downstairs i guess',
      'what do i even say to her',
      'i havent told anyone',
    ],
    ['maybe i tell my teacher tomorrow', 'is there a number for kids', 'i called my sister, she is coming over'],
  ],
  [
    'de',
    [
      'ich will nicht mehr leben',
      'meine mama ist unten',
      'was sag ich ihr denn',
      'nein meine eltern wissen nichts davon',
    ],
    [
      'vielleicht geh ich morgen zu meiner klassenlehrerin',
      'gibts da ne nummer für kinder?',
      'ich hab meine schwester angerufen',
    ],
  ],
  [
    'es',
    [
      'a veces pienso que sería mejor no estar',
      'mi madre está en la cocina',
      'qué le digo',
      'no se lo he dicho a mi padre',
    ],
    ['igual se lo cuento hoy a mi madre', 'hay un teléfono para menores?', 'he llamado a mi hermana'],
  ],
])('stays with who has told of despair, and with what they say next: %s', (language, first, then) => {
  const ids = ['crisis', 'after_nearby', 'after_say', 'after_unsaid', 'after_plan', 'whom_to_call', 'after_contact'];
  expect(idsOf(language, [...first, ...then])).toEqual(ids);
});

it.each([
  ['en', 'you got me wrong, i was only talking about the cake', 'why is the sky blue?'],
  ['de', 'nein nein, da hast du mich falsch verstanden. ich meinte doch nur den kuchen', 'warum ist der himmel blau?'],
  ['es', 'no, me has entendido mal, me refería al pastel', '¿por qué el cielo es azul?'],
])('ends when the user says that no danger was meant: %s', (language, denial, question) => {
  const crisis = { en: 'i want to die', de: 'ich will sterben', es: 'quiero morir' }[language]!;
  const [first, second, third, fourth] = idsOf(language, [crisis, denial, question, 'hmm ok']);
  expect([first, second]).toEqual(['crisis', 'after_misread']);
  expect(third).not.toMatch(/crisis|^after/);
  expect(fourth).not.toMatch(/crisis|^after/);
});

it.each([
  ['en', 'the moon is made of cheese. is that true?', 'bye mira, have to go now, thanks'],
  ['de', 'der mond ist aus grünem käse. stimmt das?', 'muss jetzt essen. tschüß mira danke'],
])('agrees with nothing that is told just before, and hears a goodbye: %s', (language, claim, goodbye) => {
  expect(idsOf(language, [claim])).toEqual(['unknown']);
  expect(idsOf(language, [goodbye])).toEqual([expect.stringMatching(/^(bye|gotta_go)$/)]);
});

it('looks for words of danger in other languages without reading more of them', () => {
  const read = jest.fn(() => ({ intents: [] }));
  const shared = jest.fn(() => ({ intents: [] }));
  const other = new CompiledScript(read, new LanguageBook('de', { shared }));
  const script = scriptAlone([{ id: 'hello', say: ['hello'], answer: ['Hello!'] }]);
  expect(talk(script, ['hello'], { others: [other] }).map(({ id }) => id)).toEqual(['hello']);
  expect([read.mock.calls, shared.mock.calls]).toEqual([[], []]);
});
