import { kept } from './kept.js';
import type { Wanted } from './start.js';

/** The choices in the element's attributes. */
export function givenBy(element: HTMLElement): Partial<Wanted> {
  const given = (name: string) => element.getAttribute(name) ?? undefined;
  return { avatar: given('avatar'), language: given('language'), chat_type: given('chat-type') };
}

/** The choices of the page, or else the visitor's last ones. */
export function wantedBy(element: HTMLElement): Wanted {
  const { avatar, language, chat_type } = givenBy(element);
  return {
    avatar: avatar ?? kept('avatar'),
    language: language ?? kept('language') ?? navigator.language,
    chat_type: chat_type ?? kept('chat-type'),
  };
}

/** Drops an invalid language code, which might not even be a valid header value. */
export function inLanguage(language_code: string): { language_code?: string } {
  return /^[\w-]{1,40}$/.test(language_code) ? { language_code } : {};
}
