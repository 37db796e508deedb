/**
 * Runs the verification NAME (a script of this directory) with its own options. Without a name, runs those that print figures,
 * one after the other, and collects their rows into one table; with --write it replaces the table in RESULTS.md. All take
 * some 50 minutes; an otherwise idle machine gives better figures.
 *
 *   npm run verify -- NAME [OPTION…]
 *   npm run verify [-- --only kill,tokens,…] [--write]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { fail, helpOf, parseArgs } from '../../scripts/arguments.mjs';

const ALL = [
  'tokens',
  'hostile',
  'tenants',
  'openapi',
  'kill',
  'store',
  'erasure',
  'faults',
  'restarts',
  'rolling',
  'cluster',
  'workers',
  'widget',
  'rotation',
  'limits',
  'connections',
  'streams',
  'bytes',
  'dependencies',
  'scripts',
  'speech',
  'video',
  'live',
  'echo',
];
const PAGE = 'test/acceptance/RESULTS.md';
const [BEGIN, END] = ['<!-- Written by npm run verify -- --write -->\n', '<!-- To here -->\n'];

const scriptOf = (name) => fileURLToPath(new URL(`${name}.mjs`, import.meta.url));
/** Those that run only by name. */
const others = readdirSync(new URL('.', import.meta.url))
  .filter((file) => /^[a-z]+\.mjs$/.test(file))
  .map((file) => file.replace('.mjs', ''))
  .filter((name) => helpOf(scriptOf(name)).includes(`npm run verify -- ${name}`))
  .filter((name) => !ALL.includes(name));
const LISTS = `With figures: ${ALL.join(', ')}\nBy name only: ${others.join(', ')}`;

const assertNames = (names, known) => {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) fail(`There is no verification ${unknown.join(', ')}.\n${LISTS}`);
};
const [single, ...own] = process.argv.slice(2);
if (single === '--help') {
  console.log(`${helpOf(fileURLToPath(import.meta.url))}\n\n${LISTS}`);
  process.exit(0);
}
if (single !== undefined && !single.startsWith('-')) {
  assertNames([single], [...ALL, ...others]);
  process.exit(spawnSync(process.execPath, [scriptOf(single), ...own], { stdio: 'inherit' }).status ?? 1);
}

const { values } = parseArgs({ options: { only: { type: 'string' }, write: { type: 'boolean', default: false } } });
const names = values.only?.split(',') ?? ALL;
assertNames(names, ALL);

const rows = [];
const failed = [];
for (const name of names) {
  console.error(`… npm run verify -- ${name}`);
  const child = spawn(process.execPath, [scriptOf(name)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    if (/^\| .* \| `npm run verify -- /.test(line)) rows.push(line);
  }
  const [code] = await ended;
  if (code !== 0) failed.push(name);
}

const machine = `${cpus().length} processors, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
const table = [
  `Seen in one run of \`npm run verify\`: ${machine}.`,
  '',
  '| What | Target | Seen | Command |',
  '| --- | --- | --- | --- |',
  ...rows,
  '',
].join('\n');
console.log(`\n${table}\n${failed.length === 0 ? 'All targets are met.' : `Failed: ${failed.join(', ')}.`}`);
if (values.write) {
  const page = readFileSync(PAGE, 'utf8');
  const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
  writeFileSync(PAGE, page.slice(0, from) + table + page.slice(to));
}
process.exit(failed.length === 0 ? 0 : 1);
