import { CompiledScript } from './compiled-script.js';

/** Examples of a script that another intent answers, each as a fault. */
export function overlapsOf(script: CompiledScript): string[] {
  return [...script.intents.values()].flatMap(({ id, say = [] }) =>
    say.flatMap((text) => {
      if (text.startsWith('@')) return [];
      const best = script.best(script.language.termsOf(script.language.wordsOf(text)));
      return best?.rule === id ? [] : [`${id}: '${text}' is answered by ${best?.rule ?? 'nothing'}`];
    }),
  );
}
