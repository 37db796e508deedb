/**
 * Checks the avatars' scripts: their format, and faults that would cause wrong answers. Prints the faults.
 *
 *   npm run check:scripts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { scriptOverlaps, ScriptReader, statementOverlaps } from 'avatar-chat-dialogue';

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
  const shared = /** @type {import('avatar-chat-dialogue').SharedFile} */ (reader.filesFor(language).shared ?? {});
  faults.push(...statementOverlaps(shared, script).map((fault) => `shared/${language}.json: ${fault}`));
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
