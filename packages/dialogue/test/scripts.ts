import { join } from 'node:path';
import { compileScript } from '../src/script/compile.js';
import type { CompiledScript } from '../src/script/compiled.js';
import type { ScriptFile } from '../src/format/script-file.js';
import { type Script, ScriptReader } from '../src/script/reader.js';
import { replyTo } from '../src/reply.js';

/** The scripts that come with the service, with what all scripts of a language have. */
export const SHIPPED_SCRIPTS = join(__dirname, '../../../catalogue/scripts');
export const reader = new ScriptReader(SHIPPED_SCRIPTS);
export const filesFor = (language: string) => reader.filesFor(language);
export const readScript = (folder: string) => reader.read(folder);

/** The time at which scripts are asked here. */
export const NOW = Date.UTC(2026, 4, 2, 10, 30);

/** One file as a script in English, German and Spanish. */
export const scriptsOf = (file: unknown): Script =>
  new Map(['en', 'de', 'es'].map((language) => [language, compileScript(file, filesFor(language))]));

/** Asks a script for a reply, after earlier requests. */
export function asking(scripts: Script) {
  return (language: string, request: string, ...before: string[]) => {
    const history = before.map((one) => ({ request: one, answer: '…' }));
    const avatar = { name: 'Zed' };
    return replyTo({ avatar, request, history }, scripts.get(language)!, [], NOW);
  };
}

const compiled = new WeakMap<ScriptFile, Map<string, CompiledScript>>();

/** A file as a script, compiled once for all conversations that are tried on it. */
function scriptOf(file: ScriptFile, language: string): CompiledScript {
  const known = compiled.get(file) ?? new Map<string, CompiledScript>();
  const script = known.get(language) ?? compileScript(file, filesFor(language));
  compiled.set(file, known.set(language, script));
  return script;
}

/** The replies of a file, which must not be changed after that, to some turns. */
export function talk(file: ScriptFile, language: string, turns: readonly string[]) {
  return talkTo(scriptOf(file, language), turns);
}

/** The replies of a script to some turns. */
export function talkTo(
  script: CompiledScript,
  turns: readonly string[],
  { name = 'Zed', others = [] }: { readonly name?: string; readonly others?: readonly CompiledScript[] } = {},
) {
  const history: { request: string; answer: string }[] = [];
  return turns.map((request) => {
    const said = { avatar: { _id: 'z', name, greetingText: '' }, request, history: [...history] };
    const reply = replyTo(said, script, others, 0);
    history.push({ request, answer: reply.answer });
    return reply;
  });
}
