import type { en } from './en.js';

/** Every text of the widget in one language. */
export type Strings = Readonly<Record<keyof typeof en, string>>;
