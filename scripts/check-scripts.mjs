/**
 * Checks the avatars' scripts: their format, and what would make them answer beside the point. Names the faults.
 *
 *   npm run check:scripts
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readScript, SHIPPED_SCRIPTS } from '../dist/engines/script.library.js';
import { scriptOverlaps } from '../dist/engines/script.overlaps.js';

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
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
