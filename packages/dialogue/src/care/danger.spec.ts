import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileScript } from '../script/compile.js';
import { replyTo, replyToDanger } from '../reply.js';
import { SHIPPED_SCRIPTS, readScript } from '../../test/scripts.js';

const AVATARS = ['ada', 'bruno', 'mira'];
const DANGER = /^(crisis|emergency|grease_fire|danger_.*)$/;
/** What people say, by language and by what should answer: `any` kind of danger, `none`, or one of several rules. */
const LINES = JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, '../../test/dangers.json'), 'utf8')) as Record<
  string,
  Record<string, string[]>
>;
const scripts = AVATARS.map((avatar) => readScript(join(SHIPPED_SCRIPTS, avatar)));

function idOf(language: string, request: string, index = 0): string {
  const script = scripts[index % AVATARS.length]!;
  const others = [...script].filter(([code]) => code !== language).map(([, other]) => other);
  const avatar = { name: 'Zed' };
  return replyTo({ avatar, request, history: [] }, script.get(language)!, others, 0).id;
}

it.each(Object.keys(LINES))('meets danger, and nothing else, at once: %s', (language) => {
  const wrong = Object.entries(LINES[language]!).flatMap(([wanted, lines]) =>
    lines.flatMap((line, index) => {
      const id = idOf(language, line, index);
      const isRight =
        wanted === 'none' ? !DANGER.test(id) : wanted === 'any' ? DANGER.test(id) : wanted.split('|').includes(id);
      return isRight ? [] : [`${line}: ${id}, not ${wanted}`];
    }),
  );
  expect(wrong).toEqual([]);
});

it.each(Object.keys(LINES))('meets a crisis whatever language is chosen: %s', (language) => {
  const lines = LINES[language]!['crisis|danger_poison|danger_overdose|emergency']!;
  const missed = ['en', 'zh'].flatMap((chosen) =>
    lines.filter((line, index) => !DANGER.test(idOf(chosen, line, index))),
  );
  expect(missed).toEqual([]);
});

it.each([
  ['fr', 'my dad collapsed and wont wake up', 'emergency'],
  ['en', 'mein vater ist umgekippt und reagiert nicht', 'emergency'],
  ['de', 'mi perro comió raticida', 'danger_pet'],
  ['en', 'my frend colapsed on the floor', 'emergency'],
])('hears danger in another language, or misspelt: %s, %s', (language, line, id) => {
  expect(idOf(language, line)).toBe(id);
});

it.each(Object.keys(LINES))('says what is to be done in the language of the turn: %s', (language) => {
  const ask = (request: string, chosen: string, index: number) => {
    const script = scripts[index % AVATARS.length]!;
    const others = [...script].filter(([code]) => code !== chosen).map(([, other]) => other);
    const reply = replyToDanger({ avatar: { name: 'Zed' }, request, history: [] }, script.get(chosen)!, others, 0);
    return reply && script.get(chosen)!.crisis.all.some(({ answers }) => answers.includes(reply.answer));
  };
  const lines = LINES[language]!['crisis|danger_poison|danger_overdose|emergency']!;
  const wrong = [language, language === 'fr' ? 'hi' : 'fr'].flatMap((chosen) =>
    lines.filter((line, index) => !ask(line, chosen, index)),
  );
  expect(wrong).toEqual([]);
  expect((LINES[language]!.none ?? []).filter((line, index) => ask(line, language, index) !== undefined)).toEqual([]);
});

it('a phrase may want others around it, and a rule may say what keeps it from answering', () => {
  const file = {
    rules: [{ id: 'air', match: ['air & (no|hardly) & !show'], unless: ['(tyre|ball)'], answers: ['ok'] }],
    fallback: ['?'],
  };
  const script = compileScript(file);
  const avatar = { name: 'Zed' };
  const answers = ['there is hardly any air', 'air there is no', 'no air show', 'air', 'no air in my ball'].map(
    (request) => replyTo({ avatar, request, history: [] }, script, [], 0).answer,
  );
  expect(answers).toEqual(['ok', 'ok', '?', '?', '?']);
  const faulty = { ...file, rules: [{ ...file.rules[0]!, unless: [] }] };
  expect(() => compileScript(faulty)).toThrow('rules[0].unless: must be');
});
