import type { Avatar } from './catalogue.types.js';

/** The greeting of an avatar in a language: for `de-AT` that of `de-AT`, of `de`, or `greetingText`. */
export function greetingIn(
  { greetingText, greetings = {} }: Pick<Avatar, 'greetingText' | 'greetings'>,
  language_code?: string,
): string {
  for (let code = language_code ?? ''; code !== ''; code = code.slice(0, Math.max(0, code.lastIndexOf('-'))))
    if (Object.hasOwn(greetings, code)) return greetings[code]!;
  return greetingText;
}
