import { sharedState } from '../loader/contract.js';
import { en } from './en.js';
import type { Strings } from './strings.js';

export type { Strings } from './strings.js';
/** Loads a script of the widget by its name. */
export type LoadScript = (name: string) => Promise<void>;

/** Languages with a script of their own. English is part of the widget. */
const LANGUAGES = ['ar', 'de', 'es', 'fr', 'hi', 'pt', 'zh'];
const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/;

/** Loads the texts in a language, if there are any. Without them, the widget is in English. */
export async function loadStrings(language_code: string, load: LoadScript): Promise<void> {
  const base = baseOf(language_code);
  if (LANGUAGES.includes(base)) await load(`widget.${base}.js`).catch(() => undefined);
}

/** The loaded texts in a language of the project; English as a fallback. */
export function stringsOf(language_code: string): Strings {
  return sharedState().strings?.[baseOf(language_code)] ?? en;
}

export function hasStrings(language_code: string): boolean {
  return stringsOf(language_code) !== en;
}

export function directionOf(language_code: string): 'rtl' | 'ltr' {
  return RIGHT_TO_LEFT.test(language_code.toLowerCase()) ? 'rtl' : 'ltr';
}

/** Replaces the placeholders of a text. */
export function fill(text: string, { name = '', n = 0 }: { name?: string; n?: number }): string {
  return text.replace('{name}', name).replace('{n}', String(n));
}

function baseOf(language_code: string): string {
  return language_code.toLowerCase().split(/[-_]/)[0] ?? '';
}
