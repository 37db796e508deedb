/**
 * Checks the avatars' scripts: their format, how many intents they have, and examples that another intent answers. Prints
 * the faults.
 *
 *   npm run check -- scripts
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { overlapsOf, ScriptError, ScriptReader } from 'avatar-chat-dialogue';

const SCRIPTS = 'catalogue/scripts';
const OF_ALL = ['care', 'shared'];
/** Intents of an avatar in a language: those in which whole conversations are tested may be more. */
const MOST = { en: 250, de: 250, es: 250 };
const MOST_OTHERS = 120;
const reader = new ScriptReader(SCRIPTS);
const names = readdirSync(SCRIPTS).filter((name) => !OF_ALL.includes(name));

const faults = names.flatMap((name) => {
  try {
    const script = reader.read(join(SCRIPTS, name));
    return script.languages.flatMap((language) => faultsOf(script.in(language), `${name}/${language}.jsonl`));
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    return error.faults.map((fault) => `${name}/${fault}`);
  }
});

function faultsOf(script, file) {
  const asked = [...script.intents.values()].filter(
    ({ id, say, match }) => (say ?? match) && !script.book.care.has(id),
  ).length;
  const most = MOST[script.language.code] ?? MOST_OTHERS;
  const tooMany = asked > most ? [`has ${asked} intents, more than ${most}`] : [];
  return [...tooMany, ...overlapsOf(script)].map((fault) => `${file}: ${fault}`);
}

for (const fault of new Set(faults)) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
