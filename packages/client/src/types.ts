import type { components } from './openapi.js';

type Schemas = components['schemas'];

export type AvatarInfo = Schemas['AvatarInfo'];
export type ConnectionResponse = Schemas['ConnectionResponse'];
export type ErrorBody = Schemas['ErrorBody'];
/** The codes of the service's own errors. */
export type ErrorCode = ErrorBody['error'];
export type HistoryPage = Schemas['HistoryPage'];
export type LanguageInfo = Schemas['LanguageInfo'];
export type Message = Schemas['Message'];
export type PhonemeDetails = Schemas['PhonemeDetails'];
export type PreviewIcons = Schemas['PreviewIcons'];
export type SpokenSentence = Schemas['SpokenSentence'];
export type SpokenGreeting = Schemas['SpokenGreeting'];
export type SpeechDetails = Schemas['SpeechDetails'];
export type TokenRequest = Omit<Schemas['TokenRequest'], 'user_hash'> & {
  /** Hex HMAC-SHA256 of user_id under the project's key, if the project verifies its users. */
  user_hash?: string;
};
export type TokenResponse = Schemas['TokenResponse'];
export type TurnRequest = Schemas['TurnRequest'];
/** A stored turn. Without `incoming`, a person answers later: `conversation` says who. */
export type TurnResponse = Pick<Schemas['TurnResponse'], 'outgoing'> &
  Partial<Pick<Schemas['TurnResponse'], 'incoming'>> & { conversation?: Schemas['ConversationState'] };
