/**
 * Checks the avatars' scripts: their format, and faults that would cause wrong answers. Prints the faults.
 *
 *   npm run check:scripts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ScriptReader } from '../dist/engines/script.reader.js';
import { scriptOverlaps, statementOverlaps } from '../dist/engines/script.overlaps.js';

const SCRIPTS = 'catalogue/scripts';
const reader = new ScriptReader(SCRIPTS);
const names = readdirSync(SCRIPTS).filter((name) => !['phrases', 'shared'].includes(name));
const faults = names.flatMap((name) => {
  const folder = join(SCRIPTS, name);
  const script = reader.read(folder);
  return readdirSync(folder).flatMap((file) => {
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const compiled = script.get(basename(file, '.json').toLowerCase());
    const found = compiled ? scriptOverlaps(content, compiled) : ['is not named after a language'];
    return found.map((fault) => `${name}/${file}: ${fault}`);
  });
});
const any = reader.read(join(SCRIPTS, names[0]));
for (const [language, script] of any) {
  const shared = /** @type {import('../dist/engines/script.format.js').SharedFile} */ (
    reader.filesFor(language).shared ?? {}
  );
  faults.push(...statementOverlaps(shared, script).map((fault) => `shared/${language}.json: ${fault}`));
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
