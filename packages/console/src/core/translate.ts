import { GERMAN } from './german.js';

const isGerman = /^de\b/i.test(navigator.language);

/** The language of this page: the browser's, if it is one of the two. */
export const LANGUAGE = isGerman ? 'de' : 'en';

/** A text of this page, in English. */
export type Text = keyof typeof GERMAN;

/** A text of this page in its language. */
export function t(text: Text, ...values: readonly (string | number)[]): string {
  return (isGerman ? GERMAN[text] : text).replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)]));
}
