import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { AVATARS, LANGUAGES, othersOf, readScript, SHIPPED_SCRIPTS, talk } from '../../test/scripts.js';
import { overlapsOf } from './overlaps.js';
import { ScriptReader } from './script-reader.js';

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
/** What is asked of any avatar. */
const MOST = { many: 250, few: 120 };
const ALL = AVATARS.flatMap((avatar) => LANGUAGES.map((language) => [avatar, language] as const));

it.each(AVATARS)('%s is without faults in all languages', (avatar) => {
  const script = new ScriptReader(SHIPPED_SCRIPTS).read(join(SHIPPED_SCRIPTS, avatar));
  expect(script.languages).toEqual(LANGUAGES);
});

it.each(ALL)('%s greets, takes a danger seriously and remembers a name: %s', (avatar, language) => {
  const script = readScript(avatar);
  const spoken = script.in(language);
  const [hello, danger, tell, ask, name] = SAID[language]!;
  const say = (request: string, history: { request: string; answer: string }[] = []) =>
    replyTo({ avatar: { name: 'Zed' }, request, history }, spoken, othersOf(script, language), 0);
  expect(say(hello)).toMatchObject({ id: 'greeting', kind: 'answered' });
  expect(say(danger)).toMatchObject({ id: 'crisis', kind: 'care', answer: spoken.answersOf('crisis')[0] });
  expect(say(ask, [{ request: tell, answer: '' }]).answer).toContain(name);
  expect(say('qwrtz plokm')).toMatchObject({ id: 'unknown', kind: 'unknown' });
});

it.each(ALL)('%s has as many intents as can be kept good, each reached by its examples: %s', (avatar, language) => {
  const script = readScript(avatar).in(language);
  const asked = [...script.intents.values()].filter(
    ({ id, say, match }) => (say ?? match) && !script.book.care.has(id),
  ).length;
  expect(asked).toBeLessThanOrEqual(['en', 'de', 'es'].includes(language) ? MOST.many : MOST.few);
  expect(overlapsOf(script)).toEqual([]);
});

it.each(LANGUAGES)('the avatars do not all say the same: %s', (language) => {
  const [ada, bruno, mira] = AVATARS.map((avatar) => readScript(avatar).in(language).answersOf('greeting'));
  expect(new Set([...ada!, ...bruno!, ...mira!]).size).toBe(ada!.length + bruno!.length + mira!.length);
});

const SHIPPED = JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, '../default.json'), 'utf8')).avatars as {
  _id: string;
  suggestions: Record<string, string[]>;
}[];

it.each(
  SHIPPED.flatMap(({ _id, suggestions }) =>
    LANGUAGES.map((language) => [_id, language, suggestions[language]!] as const),
  ),
)('%s answers what is suggested in %s', (avatar, language, suggestions) => {
  const script = readScript(avatar).in(language);
  const kinds = suggestions.map((request) => [request, talk(script, [request])[0]!.kind]);
  expect(kinds).toEqual(suggestions.map((request) => [request, 'answered']));
});
