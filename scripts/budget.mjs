/**
 * Prints the lines of each module and package, tests apart, against the budget in config/budget.json, and fails if one has
 * more, has none, or if a directory has more source files than a reader takes in at a glance.
 *
 *   npm run check -- budget
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @type {{ lines: Record<string, number>, filesPerDirectory: number, catalogueBytes: number, npmScripts: number }} */
const budget = JSON.parse(readFileSync('config/budget.json', 'utf8'));
const isSource = (name) => /\.(ts|tsx|mjs)$/.test(name) && !/(\.|-)spec\.ts$|\.contract\.ts$|\.d\.ts$/.test(name);
const filesIn = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => !/(^|[\\/])(node_modules|dist|test)([\\/]|$)/.test(name))
        .map((name) => join(path, name))
        .filter((name) => statSync(name).isFile())
    : [path];
const linesOf = (path) =>
  filesIn(path)
    .filter(isSource)
    .reduce((sum, name) => sum + readFileSync(name, 'utf8').split('\n').length - 1, 0);

const modules = readdirSync('src')
  .filter((name) => statSync(join('src', name)).isDirectory())
  .map((name) => `src/${name}`);
const packages = readdirSync('packages').map((name) => `packages/${name}`);
const faults = [];
for (const name of ['src', ...modules, ...packages]) {
  const [lines, most] = [linesOf(name), budget.lines[name]];
  console.log(`${name.padEnd(26)} ${String(lines).padStart(6)} of ${String(most ?? '?').padStart(6)}`);
  if (most === undefined) faults.push(`${name} has no budget in config/budget.json`);
  else if (lines > most) faults.push(`${name} has ${lines} lines, and a budget of ${most}`);
}
for (const name of Object.keys(budget.lines))
  if (![...modules, ...packages, 'src'].includes(name)) faults.push(`${name} has a budget, and does not exist`);

const counts = new Map();
for (const name of [...modules, ...packages].flatMap(filesIn).filter(isSource))
  counts.set(dirname(name), (counts.get(dirname(name)) ?? 0) + 1);
for (const [directory, files] of counts)
  if (files > budget.filesPerDirectory)
    faults.push(`${directory} has ${files} source files; ${budget.filesPerDirectory} are the most`);

/** @param {string} what @param {number} seen @param {number} most */
const limit = (what, seen, most) => {
  console.log(`${what}: ${seen} of ${most}`);
  if (seen > most) faults.push(`${what}: ${seen}, and ${most} are the most`);
};
const bytes = filesIn('catalogue').reduce((sum, name) => sum + statSync(name).size, 0);
limit('bytes of the catalogue', bytes, budget.catalogueBytes);
limit('npm scripts', Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts).length, budget.npmScripts);

for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
