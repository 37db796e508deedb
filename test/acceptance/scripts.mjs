/**
 * How soon the shipped scripts answer and how much memory they take: the first turn of each avatar in each language, each
 * in a process of its own as after a start, and then the lines of test/honesty.json in processor time, which does not
 * depend on the machine's load.
 *
 *   npm run verify -- scripts
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Report } from './harness.mjs';
import { replyTo, ScriptLibrary, ScriptReader } from 'avatar-chat-dialogue';

const ROUNDS = 3;
const TARGET_FIRST_MS = 100;
const TARGET_MS = 5;
const TARGET_MIB = 20;
const SCRIPTS = 'catalogue/scripts';
const OF_ALL = ['care', 'shared'];

const report = new Report('npm run verify -- scripts');
const avatars = readdirSync(SCRIPTS).filter((name) => !OF_ALL.includes(name));
const groups = JSON.parse(readFileSync('test/honesty.json', 'utf8'));
const lines = Object.fromEntries(
  Object.entries(groups).map(([language, some]) => [language, Object.values(some).flat()]),
);
const languages = Object.keys(lines);

const IMPORTS = "import { replyTo, ScriptLibrary, ScriptReader } from 'avatar-chat-dialogue';";
const TURN = `
  const turn = (library, avatar, language, request) => {
    const script = library.open('${SCRIPTS}/' + avatar);
    const others = script.languages.filter((code) => code !== language).map((code) => script.in(code));
    return replyTo({ avatar: { name: 'Ada' }, request, history: [] }, script.in(language), others, Date.now());
  };`;
const run = (program, ...flags) =>
  parseFloat(
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', IMPORTS + TURN + program], {
      encoding: 'utf8',
    }),
  );

/** The processor time of the first turn in milliseconds. */
const first = (avatar, language) =>
  run(`
    const library = new ScriptLibrary(new ScriptReader('${SCRIPTS}'));
    const before = process.cpuUsage();
    turn(library, '${avatar}', '${language}', ${JSON.stringify(lines[language].at(-1))});
    const { user, system } = process.cpuUsage(before);
    console.log((user + system) / 1000);`);
const firsts = avatars.flatMap((avatar) =>
  languages.map((language) => ({ avatar, language, ms: first(avatar, language) })),
);
for (const { avatar, language, ms } of firsts) console.log(`  ${avatar} ${language}: ${ms.toFixed(0)} ms`);

/** All avatars in all languages in one process: the heap that they keep. */
const mib = run(
  `
    const heap = () => (gc(), gc(), process.memoryUsage().heapUsed);
    const before = heap();
    const library = new ScriptLibrary(new ScriptReader('${SCRIPTS}'));
    for (const avatar of ${JSON.stringify(avatars)})
      for (const language of ${JSON.stringify(languages)}) turn(library, avatar, language, 'hello, what is xyzzy?');
    console.log((heap() - before) / 2 ** 20, library !== undefined);`,
  '--expose-gc',
);

const library = new ScriptLibrary(new ScriptReader(SCRIPTS));
const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const rounds = Array.from({ length: ROUNDS }, () =>
  languages.flatMap((language) =>
    lines[language].map((request, index) => {
      const script = library.open(join(SCRIPTS, avatars[index % avatars.length]));
      const others = script.languages.filter((code) => code !== language).map((code) => script.in(code));
      const spoken = script.in(language);
      const started = processorMs();
      replyTo({ avatar: { name: 'Ada' }, request, history: [] }, spoken, others, Date.now());
      return processorMs() - started;
    }),
  ),
);
const warm = rounds
  .slice(1)
  .flat()
  .sort((a, b) => a - b);
const at = (share) => warm[Math.floor(share * warm.length)];
const slowest = Math.max(...firsts.map(({ ms }) => ms));
report.row(
  `The first turn of ${firsts.length} avatars and languages after a start, at most: processor time`,
  `≤ ${TARGET_FIRST_MS} ms`,
  `${slowest.toFixed(0)} ms`,
  slowest <= TARGET_FIRST_MS,
);
report.row(
  `${warm.length} turns in ${languages.length} languages: processor time, 50th and 99th percentile`,
  `≤ ${TARGET_MS} ms`,
  `${at(0.5).toFixed(2)} and ${at(0.99).toFixed(2)} ms`,
  at(0.99) <= TARGET_MS,
);
report.row('All scripts after a turn in each: heap', `≤ ${TARGET_MIB} MiB`, `${mib.toFixed(1)} MiB`, mib <= TARGET_MIB);
report.end();
