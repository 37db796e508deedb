import { storedValue } from './storage.js';
import type { Preferences } from './choice.js';

/** The choices in the element's attributes. */
export function attributeChoices(element: HTMLElement): Partial<Preferences> {
  const given = (name: string) => element.getAttribute(name) ?? undefined;
  return { avatar: given('avatar'), language: given('language'), chat_type: given('chat-type') };
}

/** The choices of the page, or else the visitor's last ones. */
export function preferredChoices(element: HTMLElement): Preferences {
  const { avatar, language, chat_type } = attributeChoices(element);
  return {
    avatar: avatar ?? storedValue('avatar'),
    language: language ?? storedValue('language') ?? navigator.language,
    chat_type: chat_type ?? storedValue('chat-type'),
  };
}

/** Drops an invalid language code, which might not even be a valid header value. */
export function validLanguage(language_code: string): { language_code?: string } {
  return /^[\w-]{1,40}$/.test(language_code) ? { language_code } : {};
}
