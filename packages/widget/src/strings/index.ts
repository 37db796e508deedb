import { ar } from './ar.js';
import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { hi } from './hi.js';
import { pt } from './pt.js';
import type { Strings } from './strings.js';
import { zh } from './zh.js';

export type { Strings } from './strings.js';

const LANGUAGES: Readonly<Record<string, Strings>> = { ar, de, en, es, fr, hi, pt, zh };
const RIGHT_TO_LEFT = /^(ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/;

/** The texts in a language of the project; English as a fallback. */
export function stringsOf(language_code: string): Strings {
  return LANGUAGES[baseOf(language_code)] ?? en;
}

export function hasStrings(language_code: string): boolean {
  return baseOf(language_code) in LANGUAGES;
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
