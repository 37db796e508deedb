// Made from openapi.json by `npm run openapi`; not to be edited.

/** What the service calls its errors. */
export type ErrorCode =
  | 'answer_timeout'
  | 'avatar_not_found'
  | 'bad_request'
  | 'engine_failed'
  | 'file_not_found'
  | 'idempotency_key_reused'
  | 'internal_error'
  | 'invalid_avatar_id'
  | 'invalid_before'
  | 'invalid_chat_type'
  | 'invalid_file'
  | 'invalid_idempotency_key'
  | 'invalid_json'
  | 'invalid_language_code'
  | 'invalid_page'
  | 'invalid_per_page'
  | 'invalid_project_id'
  | 'invalid_request'
  | 'invalid_session'
  | 'invalid_token'
  | 'invalid_user_hash'
  | 'invalid_user_id'
  | 'missing_token'
  | 'no_transcript'
  | 'payload_too_large'
  | 'project_not_found'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'service_unavailable'
  | 'token_expired'
  | 'token_generation_failed'
  | 'unsupported_media_type'
  | 'user_erased'
  | 'user_not_found';

export interface ErrorBody {
  /** Stable machine code. Further modules of a service may add codes to these. */
  error:
    | 'invalid_user_id'
    | 'invalid_project_id'
    | 'invalid_page'
    | 'invalid_per_page'
    | 'invalid_before'
    | 'invalid_avatar_id'
    | 'invalid_request'
    | 'invalid_chat_type'
    | 'invalid_language_code'
    | 'invalid_session'
    | 'invalid_file'
    | 'invalid_idempotency_key'
    | 'invalid_days'
    | 'invalid_json'
    | 'bad_request'
    | 'missing_token'
    | 'invalid_token'
    | 'project_not_found'
    | 'invalid_user_hash'
    | 'invalid_admin_key'
    | 'token_expired'
    | 'user_not_found'
    | 'avatar_not_found'
    | 'file_not_found'
    | 'not_found'
    | 'method_not_allowed'
    | 'not_acceptable'
    | 'request_timeout'
    | 'conflict'
    | 'project_exists'
    | 'project_has_messages'
    | 'default_project'
    | 'user_erased'
    | 'payload_too_large'
    | 'uri_too_long'
    | 'unsupported_media_type'
    | 'range_not_satisfiable'
    | 'expectation_failed'
    | 'invalid_catalogue'
    | 'no_transcript'
    | 'idempotency_key_reused'
    | 'unprocessable'
    | 'rate_limited'
    | 'headers_too_large'
    | 'token_generation_failed'
    | 'internal_error'
    | 'engine_failed'
    | 'service_unavailable'
    | 'answer_timeout';
  /** Always `failure`. */
  result: 'failure';
  /** The HTTP status. */
  status: number;
  /** What went wrong, for a person. */
  message: string;
  /** Equals the `X-Request-Id` header. */
  request_id: string;
}

export interface TokenRequest {
  /** Whom the token is for. */
  user_id: string;
  /** The project. */
  project_id?: string;
  /** Hex HMAC-SHA256 of user_id under the project's key; asked for where the project's token_policy is `verified`. */
  user_hash?: string;
}

export interface TokenResponse {
  /** Always `success`; a failure has the error body. */
  result: 'success';
  /** The token, for the header `Authorization: Bearer …`, valid for 24 hours. */
  jwt: string;
}

export interface PreviewIcons {
  small: string;
  medium: string;
  large: string;
}

export interface AvatarInfo {
  _id: string;
  name: string;
  greetingText: string;
  hasLiveMode: boolean;
  previewIcons: PreviewIcons;
  startButtonIcon: string;
  idleVideo: string;
}

export interface LanguageInfo {
  name: string;
  language_code: string;
  icon_url: string;
}

export interface ConnectionResponse {
  /** The ways of chatting that the project offers. */
  chat_types: ('text' | 'voice' | 'video')[];
  status: number;
  /** Identifies the session in later requests: 128 random bits, base64url. */
  session: string;
  /** The project's avatars, in its order. */
  avatars_info: AvatarInfo[];
  /** The project's languages, in its order. */
  languages: LanguageInfo[];
  /** How long to wait for an answer, in seconds. */
  messageTimeoutSeconds: number;
  /** After how long a silence the user's speech counts as ended, in seconds. */
  stopSpeakingTimeoutSeconds: number;
  /** Whether clients find the ends of speech by voice activity detection. */
  vadEnabled: boolean;
  /** Whether clients show the voice mode selector. */
  voiceModeSelector: boolean;
}

export interface PhonemeDetails {
  /** IPA. */
  phoneme: string;
  start: number;
  end: number;
}

export interface SpeechDetails {
  /** How long it is. */
  seconds: number;
  /** In order, without the pauses; empty where the speaker does not know. */
  phonemes: PhonemeDetails[];
}

export interface Message {
  /** `incoming` from the avatar, `outgoing` from the user. */
  direction: 'incoming' | 'outgoing';
  chat_type: 'text' | 'voice' | 'video';
  /** Unique message identifier. */
  _id: string;
  user_id: string;
  /** The user's message, on the avatar's answer to it too. */
  request: string;
  /** The avatar's answer; only on incoming messages. */
  answer?: string;
  avatar_id: string;
  /** The avatar's name; only on incoming messages. */
  avatar_name?: string;
  /** Milliseconds since 1970. */
  date: number;
  language_code: string;
  /** URL of an audio or video file, where there is one. */
  fileUrl?: string;
}

export interface HistoryPage {
  /** The messages of the page, newest first. */
  payload: Message[];
  /** Whether further pages hold more messages. */
  has_more_messages: boolean;
}

export interface TurnRequest {
  /** One of those that GET /connection lists. */
  avatar_id: string;
  /** What the user says. A form may leave it out where the project turns recordings into words. */
  request?: string;
  /** Left out: `text`, and `voice` for a form. */
  chat_type?: 'text' | 'voice' | 'video';
  /** Left out: the project's first language. */
  language_code?: string;
  /** Ties the turn to a session of GET /connection. */
  session?: string;
}

export interface TurnResponse {
  outgoing: Message;
  incoming: Message;
}
