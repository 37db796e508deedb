import type { LiveOptions } from './live/options.js';
import { LiveSession } from './live/session.js';
import { TurnClient } from './turn-client.js';

/**
 * The service from the point of view of one user. Keeps a token; on 403, renews it and repeats the request once. Concurrent
 * requests that get a 403 share one renewal. Transient errors (no response, 429, 502, 503, 504) are retried, within limits.
 *
 * Everything rejects with an {@link AvatarChatError}, or with the signal's reason after an abort.
 *
 * @example
 * ```ts
 * const chat = new AvatarChat({ url: 'http://127.0.0.1:3000', user_id: 'user-1' });
 * const { avatars_info } = await chat.connect();
 * const { incoming } = await chat.turn({ avatar_id: avatars_info[0]._id, request: 'Hello!' });
 * ```
 */
export class AvatarChat extends TurnClient {
  /** Starts a live conversation with an avatar that has `hasLiveMode`. */
  live(options: LiveOptions): Promise<LiveSession> {
    return LiveSession.open(options, this.liveAccess(options.signal));
  }
}
