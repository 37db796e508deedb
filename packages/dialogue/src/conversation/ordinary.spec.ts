import { join } from 'node:path';
import { compileScript } from '../script/compile.js';
import { FollowUp, ScriptFile } from '../format/script-file.js';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, filesFor, readScript } from '../../test/scripts.js';

const intent = (id: string, examples: string[], offer = '', then?: FollowUp[]) => ({
  id,
  examples,
  answers: [`[${id}] ${offer}`],
  then,
});
const yes = (id: string): FollowUp[] => [{ match: ['@yes'], answers: [`[${id}]`] }];

/** What visitors of all languages may ask for here: holes with an offer, stars, volcanoes, sharks, plans, greetings. */
const SCRIPTS: Readonly<Record<string, Pick<ScriptFile, 'rules' | 'intents'>>> = {
  en: {
    rules: [
      { id: 'greeting', answers: ['[greeting]'] },
      { id: 'compliment', answers: ['[compliment]'] },
      { id: 'never_mind', match: ['never mind', 'ok stop', 'forget it'], answers: ['[never_mind]'] },
      { id: 'safe_food', match: ['poisonous', 'raw'], priority: -40, answers: ['[safe_food]'] },
    ],
    intents: [
      intent(
        'hole',
        ['what is a black hole', 'what are black holes'],
        'Shall I tell you what happens if you fall in?',
        yes('fall'),
      ),
      intent('star', ['how are stars made', 'how do stars form', 'what is a star']),
      intent('biggest_star', ['what is the biggest star', 'biggest star known', 'which star is the largest']),
      intent('volcano', ['how do volcanoes form', 'why do volcanoes erupt', 'the biggest volcano']),
      intent('talk', ['i have to give a talk', 'i must hold a talk']),
      intent('sharks', ['do sharks eat people', 'how dangerous are sharks', 'are sharks deadly']),
    ],
  },
  de: {
    rules: [
      { id: 'greeting', answers: ['[greeting]'] },
      { id: 'compliment', answers: ['[compliment]'] },
      { id: 'never_mind', match: ['schon gut', 'hör auf', 'vergiss es'], answers: ['[never_mind]'] },
      { id: 'safe_food', match: ['giftig', 'roh'], priority: -40, answers: ['[safe_food]'] },
    ],
    intents: [
      intent(
        'hole',
        ['was ist ein schwarzes loch', 'was sind schwarze löcher'],
        'Soll ich dir erzählen, was passiert, wenn man hineinfällt?',
        yes('fall'),
      ),
      intent('star', ['wie entstehen sterne', 'was ist ein stern', 'wie entsteht ein stern']),
      intent('biggest_star', ['was ist der größte stern', 'welcher stern ist der größte']),
      intent('volcano', ['wie entstehen vulkane', 'warum brechen vulkane aus', 'der größte vulkan']),
      intent('talk', ['ich muss ein referat halten', 'ich halte ein referat']),
      intent('sharks', ['fressen haie menschen', 'wie gefährlich sind haie', 'sind haie tödlich']),
    ],
  },
  es: {
    rules: [
      { id: 'greeting', answers: ['[greeting]'] },
      { id: 'compliment', answers: ['[compliment]'] },
      { id: 'never_mind', match: ['da igual', 'déjalo', 'olvídalo'], answers: ['[never_mind]'] },
      { id: 'safe_food', match: ['tóxico', 'crudo'], priority: -40, answers: ['[safe_food]'] },
    ],
    intents: [
      intent(
        'hole',
        ['qué es un agujero negro', 'qué son los agujeros negros'],
        '¿Te cuento lo que pasa si caes dentro?',
        yes('fall'),
      ),
      intent('star', ['cómo se forman las estrellas', 'qué es una estrella']),
      intent('biggest_star', ['cuál es la estrella más grande', 'la estrella más grande']),
      intent('volcano', ['cómo se forman los volcanes', 'por qué explotan los volcanes', 'el volcán más grande']),
      intent('talk', ['tengo que hacer una exposición', 'hago una exposición']),
      intent('sharks', [
        'los tiburones comen personas',
        'son peligrosos los tiburones',
        'los tiburones matan personas',
      ]),
    ],
  },
};

const compiled = new Map(
  Object.entries(SCRIPTS).map(([language, script]) => {
    const file = { ...script, unknown: ['?'], fallback: ['?'], heard: ['I see.'], shared: false };
    return [language, compileScript(file, { language, phrases: filesFor(language).phrases })];
  }),
);

function talk(language: string, ...requests: string[]) {
  const script = compiled.get(language)!;
  const avatar = { name: 'Zed' };
  const history: { request: string; answer: string }[] = [];
  return requests.map((request) => {
    const { id, answer } = replyTo({ avatar, request, history: [...history] }, script, [], 0);
    history.push({ request, answer });
    return id === 'hole' ? answer : id;
  });
}

describe('in ordinary conversation', () => {
  it.each([
    ['en', 'What are black holes?', 'phew. what would happen if you fell in?'],
    ['de', 'Was ist ein schwarzes Loch?', 'und was passiert, wenn man da hineinfällt?'],
    ['es', '¿qué es un agujero negro?', 'vaya. ¿y qué me pasa si caigo dentro?'],
  ])('takes an offer that is asked for in other words: %s', (language, first, second) => {
    expect(talk(language, first, second).at(-1)).toBe('[fall]');
  });

  it.each([
    ['en', 'I have to give a talk on volcanoes', 'how do they form?', 'volcano'],
    ['en', 'what is a volcano, how do volcanoes form', 'which is the biggest?', 'volcano'],
    ['de', 'ich muss ein referat über vulkane halten', 'wie entstehen die?', 'volcano'],
    ['de', 'wie entstehen vulkane', 'welcher ist der größte?', 'volcano'],
    ['es', 'tengo que hacer una exposición sobre volcanes', '¿y cómo se forman?', 'volcano'],
    ['en', 'I have to give a talk on bridges', 'how do they form?', 'unknown'],
    ['de', 'ich muss ein referat über brücken halten', 'welche ist die größte?', 'unknown'],
  ])('reads %s: "%s", "%s" as one', (language, first, second, expected) => {
    expect(talk(language, first, second).at(-1)).toBe(expected);
  });

  it.each([
    ['en', 'ok ok. why did we stop going?'],
    ['en', 'what would people eat?'],
    ['en', 'why is carbon monoxide so poisonous?'],
    ['de', 'ok ok. und warum haben wir damit aufgehört?'],
    ['de', 'was würden menschen da essen?'],
    ['de', 'Warum ist Kohlenmonoxid so giftig?'],
    ['es', 'vale, da igual. ¿por qué dejamos de ir?'],
    ['es', '¿por qué es tan tóxico el monóxido de carbono?'],
  ])('answers honestly what shares but a word with what it knows: %s: %s', (language, request) => {
    expect(talk(language, 'How are stars made?', request).at(-1)).toBe('unknown');
  });

  it.each([
    ['en', 'hi there, how do stars form?', 'star'],
    ['en', 'they want an answer by wednesday', 'unknown'],
    ['de', 'guten Abend, wie entstehen Sterne?', 'star'],
    ['de', 'hi, draußen gewitterts grad', 'unknown'],
    ['es', 'buenas tardes, cómo se forman las estrellas', 'star'],
  ])('takes no word in passing for all of it: %s: %s', (language, request, expected) => {
    expect(talk(language, request).at(-1)).toBe(expected);
  });
});

/** What shipped scripts answer to, by the identifiers of their rules. */
it.each([
  ['ada/en', 'Hello Ada, can I ask something odd?', 'may_i_ask'],
  ['ada/de', 'Darf ich dich etwas zum Gehirn fragen?', 'may_i_ask'],
  ['ada/es', '¿te puedo hacer una pregunta?', 'may_i_ask'],
  ['bruno/en', 'Hi Bruno, I need help with soup', 'help_with'],
  ['bruno/de', 'kannst du mir bei einer Soße helfen?', 'help_with'],
  ['bruno/es', '¿me ayudas con una salsa?', 'help_with'],
  ['bruno/en', 'ok going shopping, thanks!!', 'ack_leaving'],
  ['ada/de', 'ok danke, mach dann mal feierabend', 'ack_leaving'],
  ['mira/es', 'te dejo que me voy a la ducha', 'ack_leaving'],
  ['ada/en', 'hii i just had a baby 3 weeks ago', 'ack_congrats'],
  ['ada/de', 'meine Tochter hat die Prüfung geschafft', 'told_child_passed'],
  ['bruno/en', 'never cooked in my life, just got divorced', 'ack_loss'],
  ['bruno/en', 'mine always go rubbery', 'unknown'],
  ['ada/en', 'my son asked if whales have knees', 'unknown'],
  ['mira/en', 'thank you mira you helped me a lot', 'thanks'],
  ['mira/de', 'und mit alutopf geht das nicht oder', 'unknown'],
  ['mira/de', 'rate mal wie alt ich bin', 'user_age_guess'],
])('a shipped script, %s, answers "%s" as it is meant', (name, request, expected) => {
  const [avatar = '', language = ''] = name.split('/');
  const script = readScript(join(SHIPPED_SCRIPTS, avatar)).get(language)!;
  const said = { avatar: { name: avatar }, request, history: [] };
  expect(replyTo(said, script, [], 0).id).toBe(expected);
});

it('asks how something feels only where something is felt', () => {
  const script = readScript(join(SHIPPED_SCRIPTS, 'bruno')).get('en')!;
  const replies = ["I haven't got a blender", 'she lives in Karachi', 'my kids come every other weekend'].map(
    (request) => replyTo({ avatar: { name: 'Bruno' }, request, history: [] }, script, [], 0),
  );
  for (const { answer } of replies) expect(answer).not.toMatch(/how (is that for|do you feel)/i);
});
