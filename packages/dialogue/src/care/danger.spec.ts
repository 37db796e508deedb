import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyTo, replyToDanger } from '../reply.js';
import { AVATARS, othersOf, readScript, scriptAlone, SHIPPED_SCRIPTS, talk } from '../../test/scripts.js';

const DANGER = /^(crisis|emergency|grease_fire|danger_.*)$/;
/** What people say, by language and by what should answer: `any` kind of danger, `none`, or one of several rules. */
const LINES = JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, '../../test/dangers.json'), 'utf8')) as Record<
  string,
  Record<string, string[]>
>;
const scripts = AVATARS.map(readScript);

function idOf(language: string, request: string, index = 0): string {
  const script = scripts[index % AVATARS.length]!;
  const avatar = { name: 'Zed' };
  return replyTo({ avatar, request, history: [] }, script.in(language), othersOf(script, language), 0).id;
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
  ['fr', 'my dad collapsed and wont wake up', 'danger_unconscious'],
  ['en', 'mein vater ist umgekippt und reagiert nicht', 'danger_unconscious'],
  ['de', 'mi perro comió raticida', 'danger_pet'],
  ['en', 'my frend colapsed on the floor', 'emergency'],
])('hears danger in another language, or misspelt: %s, %s', (language, line, id) => {
  expect(idOf(language, line)).toBe(id);
});

it.each(Object.keys(LINES))('says what is to be done in the language of the turn: %s', (language) => {
  const ask = (request: string, chosen: string, index: number) => {
    const script = scripts[index % AVATARS.length]!;
    const spoken = script.in(chosen);
    const said = { avatar: { name: 'Zed' }, request, history: [] };
    const reply = replyToDanger(said, spoken, othersOf(script, chosen), 0);
    return reply && [...spoken.book.care.values()].some(({ answer }) => answer?.includes(reply.answer));
  };
  const lines = LINES[language]!['crisis|danger_poison|danger_overdose|emergency']!;
  const wrong = [language, language === 'fr' ? 'hi' : 'fr'].flatMap((chosen) =>
    lines.filter((line, index) => !ask(line, chosen, index)),
  );
  expect(wrong).toEqual([]);
  expect((LINES[language]!.none ?? []).filter((line, index) => ask(line, language, index) !== undefined)).toEqual([]);
});

it('a pattern may want others around it, and an intent may say what keeps it from answering', () => {
  const script = scriptAlone([
    { id: 'air', match: ['air & (no|hardly) & !show'], unless: ['(tyre|ball)'], answer: ['ok'] },
  ]);
  const said = ['there is hardly any air', 'air there is no', 'no air show', 'air', 'no air in my ball'];
  expect(talk(script, said).map(({ answer }) => answer)).toEqual(['ok', 'ok', '?', '?', '?']);
  expect(() => scriptAlone([{ id: 'air', match: ['air'], unless: [], answer: ['ok'] }])).toThrow('unless: must be');
});
