import { compileScript } from '../../src/engines/script.compile.js';
import { filesFor, type Script } from '../../src/engines/script.library.js';
import { replyTo } from '../../src/engines/script.reply.js';

/** When scripts are asked here. */
export const NOW = Date.UTC(2026, 4, 2, 10, 30);

/** One file as a script in English, German and Spanish. */
export const scriptsOf = (file: unknown): Script =>
  new Map(['en', 'de', 'es'].map((language) => [language, compileScript(file, filesFor(language))]));

/** Asks a script, behind earlier requests, for a reply. */
export function asking(scripts: Script) {
  return (language: string, request: string, ...before: string[]) => {
    const history = before.map((one) => ({ request: one, answer: '…' }));
    const avatar = { _id: 'z', name: 'Zed', greetingText: '' };
    return replyTo({ avatar, request, history }, scripts.get(language)!, [], NOW);
  };
}
