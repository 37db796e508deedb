import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { AVATARS, NOW, othersOf, readScript, SHIPPED_SCRIPTS } from '../../test/scripts.js';

/**
 * What visitors send, by language and by what would do harm or be dishonest: no care for `care`, care for what is `harmless`,
 * an answer from a script to what is `unknown` to it, something else than the named intents to what is asked of the
 * avatar, care for mere `talk`. It is no measure of how much the scripts can answer.
 */
const MESSAGES = JSON.parse(readFileSync(join(SHIPPED_SCRIPTS, '../../test/honesty.json'), 'utf8')) as Record<
  string,
  Record<string, string[]>
>;
/** Say that the avatar cannot do or know something. */
const ADMITS =
  /^(safe_|live_information|device_tasks|buy_price|store_hours|translate_text|write_text|draw_picture|politics)/;
const cases = Object.entries(MESSAGES).flatMap(([language, groups]) =>
  Object.entries(groups).map(([group, messages]) => [language, group, messages] as const),
);

it.each(cases)('does no harm and does not pretend: %s, %s', (language, group, messages) => {
  const wrong = messages.flatMap((request, index) => {
    const script = readScript(AVATARS[index % AVATARS.length]!);
    const turn = { avatar: { name: 'Zed' }, request, history: [] };
    const { id, kind, answer } = replyTo(turn, script.in(language), othersOf(script, language), NOW);
    const isRight = {
      care: kind === 'care',
      harmless: kind !== 'care',
      talk: kind !== 'care',
      unknown: kind === 'unknown' || ADMITS.test(id),
    }[group];
    return (isRight ?? (kind === 'unknown' || group.split('|').includes(id))) ? [] : [`${request}: ${id}: ${answer}`];
  });
  expect(wrong).toEqual([]);
});
