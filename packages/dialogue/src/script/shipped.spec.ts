import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileScript } from './compile.js';
import { ScriptFile } from '../format/script-file.js';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, readScript } from '../../test/scripts.js';

const AVATARS = ['ada', 'bruno', 'mira'];
const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'hi', 'pt', 'zh'];
const fileOf = (avatar: string, language: string) =>
  JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, avatar, `${language}.json`), 'utf8')) as ScriptFile;

/** What people say, by language: a greeting, a danger, a name told and asked for. */
const SAID: Record<string, [hello: string, danger: string, tell: string, ask: string, name: string]> = {
  ar: ['مرحبا', 'أريد أن أموت', 'اسمي فاطمة', 'ما اسمي؟', 'فاطمة'],
  de: ['Hallo!', 'Ich will nicht mehr leben', 'Ich heiße Jörg', 'Wie heiße ich?', 'Jörg'],
  en: ['hello', 'I want to kill myself', "Hi, my name's Ann. How are you?", 'do you remember my name', 'Ann'],
  es: ['Hola', 'quiero morirme', 'Me llamo Lucía y vivo en Cádiz', '¿Cómo me llamo?', 'Lucía'],
  fr: ['Bonjour', 'j’ai envie de mourir', "Je m'appelle Zoé", "comment je m'appelle ?", 'Zoé'],
  hi: ['नमस्ते', 'मैं मरना चाहता हूँ', 'मेरा नाम रवि है', 'मेरा नाम क्या है?', 'रवि'],
  pt: ['Olá', 'quero morrer', 'Meu nome é João', 'qual é o meu nome?', 'João'],
  zh: ['你好', '我不想活了', '我叫小明，你好', '我叫什么名字？', '小明'],
};

describe.each(AVATARS)('the script %s', (avatar) => {
  const script = readScript(join(SHIPPED_SCRIPTS, avatar));
  const reply = (language: string, request: string, history: { request: string; answer: string }[] = []) =>
    replyTo({ avatar: { name: 'Zed' }, request, history }, script.get(language)!, [], 0);
  const say = (language: string, request: string, history: { request: string; answer: string }[] = []) =>
    reply(language, request, history).answer;

  it('has all languages, with enough rules in each', () => {
    expect(readdirSync(join(SHIPPED_SCRIPTS, avatar)).sort()).toEqual(LANGUAGES.map((language) => `${language}.json`));
    for (const language of LANGUAGES) {
      expect(fileOf(avatar, language).rules.length).toBeGreaterThanOrEqual(language === 'en' ? 60 : 40);
    }
  });

  it.each(LANGUAGES)('greets, takes a danger seriously and remembers a name: %s', (language) => {
    const [hello, danger, tell, ask, name] = SAID[language]!;
    const { rules } = fileOf(avatar, language);
    const answersOf = (id: string) =>
      rules.find((rule) => rule.id === id)!.answers.map((text) => text.replace('{avatar}', 'Zed'));
    expect(answersOf('greeting')).toContain(say(language, hello));
    expect(answersOf('crisis')).toContain(say(language, danger));
    expect(say(language, ask, [{ request: tell, answer: '' }])).toContain(name);
    expect(reply(language, 'qwrtz plokm')).toMatchObject({ id: 'unknown', isAnswered: false });
  });
});

const SHIPPED = JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, '../default.json'), 'utf8')).avatars as {
  _id: string;
  suggestions: Record<string, string[]>;
}[];

it.each(
  SHIPPED.flatMap(({ _id, suggestions }) => LANGUAGES.map((language) => [_id, language, suggestions[language]!])),
)('%s answers what is suggested in %s', (avatar, language, suggestions) => {
  const script = readScript(join(SHIPPED_SCRIPTS, avatar as string)).get(language as string)!;
  const answers = (suggestions as string[]).map((request) => {
    const turn = { avatar: { name: 'Zed' }, request, history: [] };
    return { request, isAnswered: replyTo(turn, script, [], 0).isAnswered };
  });
  expect(answers).toHaveLength(3);
  expect(answers.filter(({ isAnswered }) => !isAnswered)).toEqual([]);
});

it('no two avatars say the same', () => {
  for (const language of LANGUAGES) {
    const said = AVATARS.flatMap((avatar) =>
      fileOf(avatar, language).rules.flatMap(({ answers }) => [...new Set(answers)]),
    );
    const twice = said.filter((answer, index) => answer !== '{last}' && said.indexOf(answer) !== index);
    expect(twice).toEqual([]);
  }
});

it('the phrases of each language can be used', () => {
  for (const language of LANGUAGES) {
    const shared = JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, 'phrases', `${language}.json`), 'utf8'));
    const rules = Object.keys(shared.sets).map((id) => ({ id, answers: ['ok'] }));
    expect(() => compileScript({ rules, fallback: ['?'] }, { phrases: shared })).not.toThrow();
  }
});
