import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyTo } from '../reply.js';
import { SHIPPED_SCRIPTS, readScript } from '../../test/scripts.js';

interface Dialogue {
  readonly avatar: string;
  readonly language: string;
  /** A text is a turn whose answer may be any. */
  readonly turns: readonly (string | DialogueTurn)[];
}

interface DialogueTurn {
  readonly say: string;
  readonly is?: readonly string[];
  readonly matches?: string;
}

const NOW = Date.UTC(2026, 4, 2, 10, 30);
/** Turns that may be answered otherwise than they should be, of a hundred. */
const LEAST_PERCENT = 95;

it.each(['en', 'de', 'es'])('holds the dialogues in %s', (language) => {
  const path = join(SHIPPED_SCRIPTS, `../../test/dialogues/${language}.json`);
  const dialogues = JSON.parse(readFileSync(path, 'utf8')) as Dialogue[];
  const wrong: string[] = [];
  let turns = 0;
  for (const dialogue of dialogues) {
    const script = readScript(join(SHIPPED_SCRIPTS, dialogue.avatar));
    const others = [...script].filter(([code]) => code !== dialogue.language).map(([, other]) => other);
    const history: { request: string; answer: string }[] = [];
    for (const said of dialogue.turns) {
      const { say: request, is, matches = '' }: DialogueTurn = typeof said === 'string' ? { say: said } : said;
      const avatar = { name: dialogue.avatar };
      const turn = { avatar, request, history: [...history] };
      const { id, answer } = replyTo(turn, script.get(dialogue.language)!, others, NOW);
      history.push({ request, answer });
      turns++;
      if (is ? !is.includes(id) : !new RegExp(matches, 'i').test(answer)) wrong.push(`${request}: ${id}: ${answer}`);
    }
  }
  expect(turns).toBeGreaterThan(25);
  if ((100 * (turns - wrong.length)) / turns < LEAST_PERCENT) throw new Error(wrong.join('\n'));
});
