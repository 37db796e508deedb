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

/** The modes in which an avatar can be talked with. If any avatar has a live mode, video needs it. */
export function modesOf({ avatars_info, chat_types }: ConnectionResponse, { hasLiveMode }: AvatarInfo): ChatType[] {
  const isOffered = hasLiveMode || !avatars_info.some((avatar) => avatar.hasLiveMode);
  return chat_types.filter((type) => type !== 'video' || isOffered);
}

/** The mode of a name, or else the closest one of an avatar. */
export function closestMode(modes: readonly ChatType[], wanted: string | null | undefined): ChatType {
  return (
    modes.find((type) => type === wanted) ?? modes.find((type) => wanted === 'video' && type === 'voice') ?? modes[0]!
  );
}

/** The preferred choices that exist; otherwise the first of each. */
export function firstChoice(connection: ConnectionResponse, wanted: Preferences): Choice {
  const { avatars_info, languages } = connection;
  const avatar = avatars_info.find(({ _id }) => _id === wanted.avatar) ?? avatars_info[0]!;
  return {
    avatar,
    language_code: (languageOf(languages, wanted.language) ?? languages[0])?.language_code ?? 'en',
    chat_type: closestMode(modesOf(connection, avatar), wanted.chat_type),
  };
}

export function isSameChoice(one: Choice, other: Choice): boolean {
  return (
    one.avatar._id === other.avatar._id &&
    one.language_code === other.language_code &&
    one.chat_type === other.chat_type
  );
}

/** Whether nothing is left to choose. */
export function isWholeChoice(connection: ConnectionResponse, given: Partial<Preferences>): boolean {
  const avatar = connection.avatars_info.find(({ _id }) => _id === given.avatar);
  return (
    avatar !== undefined &&
    modesOf(connection, avatar).some((type) => type === given.chat_type) &&
    given.language !== undefined &&
    languageOf(connection.languages, given.language) !== undefined
  );
}

function languageOf(languages: ConnectionResponse['languages'], wanted: string): LanguageInfo | undefined {
  const [base] = wanted.split('-');
  return (
    languages.find(({ language_code }) => language_code === wanted) ??
    languages.find(({ language_code }) => language_code === base)
  );
}
