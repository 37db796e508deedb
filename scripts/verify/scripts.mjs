/**
 * How long the shipped scripts take to answer: every line of the dialogues in test/dialogues, three times, in
 * processor time, which does not depend on the machine's load. The first time also compiles what the others reuse. And how
 * much memory the scripts take.
 *
 *   npm run verify:scripts
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Report } from './harness.mjs';
import { replyTo, ScriptLibrary, ScriptReader } from 'avatar-chat-dialogue';

const ROUNDS = 3;
const TARGET_MS = 5;
const TARGET_MIB = 60;
const DIALOGUES = 'test/dialogues';
const SCRIPTS = 'catalogue/scripts';

/** Loaded as by a service. */
const library = new ScriptLibrary(new ScriptReader(SCRIPTS));
const report = new Report('npm run verify:scripts');
const files = readdirSync(DIALOGUES).filter((name) => name.endsWith('.json'));
const dialogues = files.flatMap((file) => JSON.parse(readFileSync(join(DIALOGUES, file), 'utf8')));
const avatars = [...new Set(dialogues.map(({ avatar, language }) => `${avatar} ${language}`))].map((one) =>
  one.split(' '),
);
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** The duration of each turn, in milliseconds. */
function hold({ avatar, language, turns }) {
  const script = library.open(join(SCRIPTS, avatar));
  const own = script.get(language);
  if (!own) throw new Error(`There is no script of ${avatar} in ${language}`);
  const others = [...script].filter(([code]) => code !== language).map(([, other]) => other);
  const history = [];
  return turns.map((turn) => {
    const request = typeof turn === 'string' ? turn : turn.say;
    const about = { avatar: { name: avatar }, request, history: [...history] };
    const started = processorMs();
    const { answer } = replyTo(about, own, others, Date.now());
    const ms = processorMs() - started;
    history.push({ request, answer });
    return ms;
  });
}

const rounds = Array.from({ length: ROUNDS }, () => dialogues.flatMap(hold).sort((a, b) => a - b));
const warm = rounds.slice(1).flat();
warm.sort((a, b) => a - b);
/** Runs in a process of its own: the memory of a service that answers in each of them. */
const HEAP = `
  import { ScriptLibrary, ScriptReader } from 'avatar-chat-dialogue';
  const heap = () => (gc(), gc(), process.memoryUsage().heapUsed);
  const before = heap();
  const library = new ScriptLibrary(new ScriptReader('catalogue/scripts'));
  for (const [avatar, language] of ${JSON.stringify(avatars)}) {
    await library.readAhead('catalogue/scripts/' + avatar);
    await library.open('catalogue/scripts/' + avatar).get(language).prepare();
  }
  const after = heap();
  console.log((after - before) / 2 ** 20, library !== undefined);
`;
const mib = parseFloat(
  execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', HEAP], { encoding: 'utf8' }),
);
const at = (share) => warm[Math.floor(share * warm.length)];
report.row(
  `${warm.length} scripted turns in ${files.length} languages: processor time, 50th and 99th percentile`,
  `≤ ${TARGET_MS} ms`,
  `${at(0.5).toFixed(2)} and ${at(0.99).toFixed(2)} ms`,
  at(0.99) <= TARGET_MS,
);
report.row(
  'The first turn of an avatar in a language, which builds its index, at most',
  'for information',
  `${rounds[0].at(-1).toFixed(0)} ms`,
);
report.row(
  'The scripts of all avatars, made ready in these languages: heap',
  `≤ ${TARGET_MIB} MiB`,
  `${mib.toFixed(0)} MiB`,
  mib <= TARGET_MIB,
);
report.end();
