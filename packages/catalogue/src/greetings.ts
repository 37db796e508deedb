import type { Avatar } from './catalogue.types.js';

/** The greeting of an avatar in a language: for `de-AT` that of `de-AT`, else of `de`, else `greetingText`. */
export function greetingIn(
  { greetingText, greetings = {} }: Pick<Avatar, 'greetingText' | 'greetings'>,
  language_code?: string,
): string {
  return inLanguage(greetings, language_code) ?? greetingText;
}

/** Suggested first questions for an avatar in a language: for `de-AT` those of `de-AT`, else of `de`, else none. */
export function suggestionsIn({ suggestions = {} }: Pick<Avatar, 'suggestions'>, language_code: string): string[] {
  return inLanguage(suggestions, language_code) ?? [];
}

function inLanguage<T>(byLanguage: Record<string, T>, language_code = ''): T | undefined {
  for (let code = language_code; code !== ''; code = code.slice(0, Math.max(0, code.lastIndexOf('-'))))
    if (Object.hasOwn(byLanguage, code)) return byLanguage[code]!;
  return undefined;
}
