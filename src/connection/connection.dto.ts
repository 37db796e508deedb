import { CHAT_TYPES, type ChatType } from 'avatar-chat-catalogue';
import { ApiProperty } from '@nestjs/swagger';

/** Absolute URLs of an avatar's picture. */
export class PreviewIcons {
  /** @example "http://127.0.0.1:3000/assets/avatars/ada/small.webp" */
  small!: string;
  /** @example "http://127.0.0.1:3000/assets/avatars/ada/medium.webp" */
  medium!: string;
  /** @example "http://127.0.0.1:3000/assets/avatars/ada/large.webp" */
  large!: string;
}

export class AvatarInfo {
  /** @example "ada" */
  _id!: string;
  /** @example "Ada" */
  name!: string;
  /** @example "Hello! I am Ada." */
  greetingText!: string;
  hasLiveMode!: boolean;
  previewIcons!: PreviewIcons;
  /** @example "http://127.0.0.1:3000/assets/avatars/ada/start.svg" */
  startButtonIcon!: string;
  /** @example "http://127.0.0.1:3000/assets/avatars/ada/idle.webm" */
  idleVideo!: string;
}

export class LanguageInfo {
  /** @example "English" */
  name!: string;
  /** @example "en" */
  language_code!: string;
  /** @example "http://127.0.0.1:3000/assets/languages/en.svg" */
  icon_url!: string;
}

/** Everything that a client needs to start a chat. */
export class ConnectionResponse {
  /** @example 200 */
  status!: number;
  /**
   * Identifies the session in later requests: 128 random bits, base64url.
   * @example "3q2-7wAAAAAAAAAAAAAAAA"
   */
  session!: string;
  /** The project's avatars, in its order. */
  avatars_info!: AvatarInfo[];
  /** The project's languages, in its order. */
  languages!: LanguageInfo[];
  @ApiProperty({ enum: CHAT_TYPES, isArray: true, description: 'The chat types of the project.' })
  chat_types!: ChatType[];
  /**
   * How long to wait for an answer, in seconds.
   * @example 30
   */
  messageTimeoutSeconds!: number;
  /**
   * Length of the silence after which the user's speech counts as complete, in seconds.
   * @example 2
   */
  stopSpeakingTimeoutSeconds!: number;
  /** Whether clients detect the end of speech by voice activity detection. */
  vadEnabled!: boolean;
  /** Whether clients show the voice mode selector. */
  voiceModeSelector!: boolean;
}
