/**
 * Checks the avatars' scripts: their format, and faults that would cause wrong answers. Prints the faults.
 *
 *   npm run check:scripts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { filesFor, readScript, SHIPPED_SCRIPTS } from '../dist/engines/script.library.js';
import { scriptOverlaps, statementOverlaps } from '../dist/engines/script.overlaps.js';

const names = readdirSync(SHIPPED_SCRIPTS).filter((name) => !['phrases', 'shared'].includes(name));
const faults = names.flatMap((name) => {
  const folder = join(SHIPPED_SCRIPTS, name);
  const script = readScript(folder);
  return readdirSync(folder).flatMap((file) => {
    const content = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const compiled = script.get(basename(file, '.json').toLowerCase());
    const found = compiled ? scriptOverlaps(content, compiled) : ['is not named after a language'];
    return found.map((fault) => `${name}/${file}: ${fault}`);
  });
});
const any = readScript(join(SHIPPED_SCRIPTS, names[0]));
for (const [language, script] of any) {
  const shared = /** @type {import('../dist/engines/script.format.js').SharedFile} */ (filesFor(language).shared ?? {});
  faults.push(...statementOverlaps(shared, script).map((fault) => `shared/${language}.json: ${fault}`));
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
