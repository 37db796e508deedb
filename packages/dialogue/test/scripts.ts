import { join } from 'node:path';
import type { Intent } from '../src/format/script-file.js';
import { replyTo } from '../src/reply.js';
import type { CompiledScript } from '../src/script/compiled-script.js';
import { LanguageBook } from '../src/script/language-book.js';
import { compileScript, type Script, ScriptReader } from '../src/script/script-reader.js';

/** The scripts that come with the service, with what all scripts of a language have. */
export const SHIPPED_SCRIPTS = join(__dirname, '../../../catalogue/scripts');
export const AVATARS = ['ada', 'bruno', 'mira'];
export const LANGUAGES = ['ar', 'de', 'en', 'es', 'fr', 'hi', 'pt', 'zh'];
const reader = new ScriptReader(SHIPPED_SCRIPTS);
export const readScript = (name: string): Script => reader.open(join(SHIPPED_SCRIPTS, name));

/** The time at which scripts are asked here. */
export const NOW = Date.UTC(2026, 4, 2, 10, 30);

/** Intents as a script, with what all scripts of its language have. */
export function scriptOf(intents: readonly Intent[], language = 'en'): CompiledScript {
  return compileScript(linesOf(intents), readScript('shared').in(language).book);
}

/** Intents as a script that has nothing else, but for an answer to what it does not know. */
export function scriptAlone(intents: readonly Intent[], language = 'en'): CompiledScript {
  return compileScript(linesOf([{ id: 'unknown', answer: ['?'] }, ...intents]), new LanguageBook(language));
}

export function linesOf(intents: readonly object[]): string {
  return intents.map((intent) => JSON.stringify(intent)).join('\n');
}

/** The other languages of a script. */
export function othersOf(script: Script, language: string): CompiledScript[] {
  return script.languages.filter((code) => code !== language).map((code) => script.in(code));
}

/** The replies of a script to some turns. */
export function talk(
  script: CompiledScript,
  turns: readonly string[],
  { name = 'Zed', others = [] }: { readonly name?: string; readonly others?: readonly CompiledScript[] } = {},
) {
  const history: { request: string; answer: string }[] = [];
  return turns.map((request) => {
    const reply = replyTo({ avatar: { name }, request, history: [...history] }, script, others, NOW);
    history.push({ request, answer: reply.answer });
    return reply;
  });
}
