import type { AvatarInfo, ConnectionResponse, LanguageInfo } from 'avatar-chat-client';
import type { ChatType } from '../history/history.js';

export interface Choice {
  avatar: AvatarInfo;
  language_code: string;
  chat_type: ChatType;
}

/** The preferred choices, by names that may not exist. */
export interface Preferences {
  avatar?: string | null;
  language: string;
  chat_type?: string | null;
}

/** The preferred choices that exist; otherwise the first of each. */
export function firstChoice({ avatars_info, languages, chat_types }: ConnectionResponse, wanted: Preferences): Choice {
  return {
    avatar: avatars_info.find(({ _id }) => _id === wanted.avatar) ?? avatars_info[0]!,
    language_code: (languageOf(languages, wanted.language) ?? languages[0])?.language_code ?? 'en',
    chat_type: chat_types.find((type) => type === wanted.chat_type) ?? chat_types[0]!,
  };
}

/** Whether nothing is left to choose. */
export function isWholeChoice(
  { avatars_info, languages, chat_types }: ConnectionResponse,
  given: Partial<Preferences>,
): boolean {
  return (
    avatars_info.some(({ _id }) => _id === given.avatar) &&
    chat_types.some((type) => type === given.chat_type) &&
    given.language !== undefined &&
    languageOf(languages, given.language) !== undefined
  );
}

function languageOf(languages: ConnectionResponse['languages'], wanted: string): LanguageInfo | undefined {
  const [base] = wanted.split('-');
  return (
    languages.find(({ language_code }) => language_code === wanted) ??
    languages.find(({ language_code }) => language_code === base)
  );
}
