import { AvatarChatError } from 'avatar-chat-client';
import { MicrophoneError } from '../voice/open-microphone.js';
import { fill, type Strings } from '../strings/index.js';

const BY_CODE: Readonly<Record<string, keyof Strings>> = {
  network_error: 'errorNetwork',
  origin_not_allowed: 'errorOrigin',
  blocked_by_policy: 'errorPolicy',
  token_expired: 'errorToken',
  rate_limited: 'errorBusy',
  service_unavailable: 'errorAway',
  answer_timeout: 'errorTimeout',
  engine_failed: 'errorFailed',
};
const MICROPHONE = {
  insecure: 'microphoneInsecure',
  blocked: 'microphoneBlocked',
  missing: 'microphoneMissing',
  busy: 'microphoneBusy',
  lost: 'microphoneLost',
} as const;

/** A recording cannot be played: it is gone, or its signed address has expired. */
export class PlaybackError extends Error {}

/** An error message for the user. */
export function errorText(error: unknown, strings: Strings, name: string): string {
  if (error instanceof MicrophoneError) return strings[MICROPHONE[error.problem]];
  if (error instanceof PlaybackError) return strings.errorPlay;
  if (!(error instanceof AvatarChatError)) return strings.errorAway;
  // Nothing is known except that it was not sent.
  if (error.code === 'unsent') return '';
  const known = BY_CODE[error.code];
  if (known) return fill(strings[known], { name });
  if (error.status === 401) return `${strings.errorRefused} ${error.message}`;
  return error.status >= 500 ? strings.errorAway : error.message;
}

/** The error for the host page: the `detail` of the event `error`. */
export function errorDetail(error: unknown): { code: string; message: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof MicrophoneError) return { code: `microphone_${error.problem}`, message };
  return { code: error instanceof AvatarChatError ? error.code : 'internal_error', message };
}
