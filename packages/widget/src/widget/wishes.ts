import { kept } from './kept.js';
import type { Wanted } from './start.js';

/** What the page has chosen, by the attributes of the element. */
export function givenBy(element: HTMLElement): Partial<Wanted> {
  const given = (name: string) => element.getAttribute(name) ?? undefined;
  return { avatar: given('avatar'), language: given('language'), chat_type: given('chat-type') };
}

/** What the page has chosen, or else the visitor, the last time. */
export function wantedBy(element: HTMLElement): Wanted {
  const { avatar, language, chat_type } = givenBy(element);
  return {
    avatar: avatar ?? kept('avatar'),
    language: language ?? kept('language') ?? navigator.language,
    chat_type: chat_type ?? kept('chat-type'),
  };
}

/** What is no language code may not even be fit for a header. */
export function inLanguage(language_code: string): { language_code?: string } {
  return /^[\w-]{1,40}$/.test(language_code) ? { language_code } : {};
}
