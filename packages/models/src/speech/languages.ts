import type { FieldRule } from 'avatar-chat-catalogue';

/** The rule of an entry's `languages`. */
export const LANGUAGES_RULE: FieldRule = [
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= 100 &&
    value.every((code) => typeof code === 'string' && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(code)),
  'must be a list of 1 to 100 language codes such as "en" or "pt-BR"',
];

/** Whether a list contains a language: `en` also matches `en-GB`, `pt-BR` only itself. */
export function hasLanguage(languages: readonly string[], language_code: string): boolean {
  const wanted = language_code.toLowerCase();
  return languages.map((code) => code.toLowerCase()).some((code) => wanted === code || wanted.startsWith(`${code}-`));
}
