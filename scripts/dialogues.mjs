/**
 * Runs the conversations of a file with the shipped avatars and prints them for review, each turn with the rule, intent or
 * skill that answered. Marks a turn whose answer is not the expected one.
 *
 *   npm run dialogues -- FILE [--json]
 *
 * FILE holds `[{ "avatar": "ada", "language_code": "en", "turns": [{ "say": "…", "is": ["moon_distance"] }] }]`. A turn may
 * also be a string, or expect an answer with `"matches"`, a regular expression. `--json` prints `{ say, id, answer }`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { replyTo, ScriptReader } from 'avatar-chat-dialogue';

const SCRIPTS = 'catalogue/scripts';
const reader = new ScriptReader(SCRIPTS);
const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
if (positionals.length !== 1) throw new Error('Name one file of dialogues: npm run dialogues -- FILE');

const transcripts = JSON.parse(readFileSync(positionals[0], 'utf8')).map(transcriptOf);
if (values.json) console.log(JSON.stringify(transcripts, null, 2));
else for (const transcript of transcripts) print(transcript);

function transcriptOf({ avatar, language_code, language = language_code, turns }) {
  const script = reader.read(join(SCRIPTS, avatar));
  const spoken = script.get(language);
  if (!spoken) throw new Error(`${avatar} has no script in ${language}`);
  const others = [...script].filter(([code]) => code !== language).map(([, other]) => other);
  const name = avatar.replace(/^./, (first) => first.toUpperCase());
  const history = [];
  const said = turns.map((turn) => {
    const { say, is, matches } = typeof turn === 'string' ? { say: turn } : turn;
    const about = { avatar: { name }, request: say, history: [...history] };
    const { id, answer } = replyTo(about, spoken, others, Date.now());
    history.push({ request: say, answer });
    const isWrong = (is && !is.includes(id)) || (matches && !new RegExp(matches, 'i').test(answer));
    return { say, id, answer, ...(isWrong && { expected: is ?? matches }) };
  });
  return { avatar, language, turns: said };
}

function print({ avatar, language, turns }) {
  console.log(`\n# ${avatar}, ${language}\n`);
  for (const { say, id, answer, expected } of turns) {
    console.log(`> ${say}\n${answer} [${id}]${expected ? ` — expected ${expected}` : ''}\n`);
  }
}
