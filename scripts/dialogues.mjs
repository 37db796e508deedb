/**
 * Runs the conversations of a file with the shipped scripts and prints them for review, each turn with the intent or skill
 * that answered and the kind of the reply.
 *
 *   npm run dialogues -- FILE [--json]
 *
 * FILE holds `[{ "avatar": "ada", "language": "en", "turns": ["Hello", { "say": "How are you?" }] }]`. `--json` prints
 * `{ say, id, kind, answer }`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replyTo, ScriptReader } from 'avatar-chat-dialogue';
import { parseArgs } from './arguments.mjs';

const SCRIPTS = 'catalogue/scripts';
const reader = new ScriptReader(SCRIPTS);
const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } });
if (positionals.length !== 1) throw new Error('Name one file of dialogues: npm run dialogues -- FILE');

const transcripts = JSON.parse(readFileSync(positionals[0], 'utf8')).map(transcriptOf);
if (values.json) console.log(JSON.stringify(transcripts, null, 2));
else for (const transcript of transcripts) print(transcript);

function transcriptOf({ avatar, language, turns }) {
  const script = reader.open(join(SCRIPTS, avatar));
  if (!script.languages.includes(language)) throw new Error(`${avatar} has no script in ${language}`);
  const others = script.languages.filter((code) => code !== language).map((code) => script.in(code));
  const name = avatar.replace(/^./, (first) => first.toUpperCase());
  const history = [];
  const said = turns.map((turn) => {
    const { say } = typeof turn === 'string' ? { say: turn } : turn;
    const about = { avatar: { name }, request: say, history: [...history] };
    const { id, kind, answer } = replyTo(about, script.in(language), others, Date.now());
    history.push({ request: say, answer });
    return { say, id, kind, answer };
  });
  return { avatar, language, turns: said };
}

function print({ avatar, language, turns }) {
  console.log(`\n# ${avatar}, ${language}\n`);
  for (const { say, id, kind, answer } of turns) console.log(`> ${say}\n${answer} [${id}, ${kind}]\n`);
}
