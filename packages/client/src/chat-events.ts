import { sleep } from './abort.js';
import { AvatarChatError } from './error.js';
import { readEvents } from './events.js';
import type { ChatEvent, EventsOptions } from './options.js';
import type { Tokens } from './tokens.js';
import { TRANSIENT_STATUSES, type Transport } from './transport.js';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

/** What happens in the user's conversation, from `GET /chat/events`. Reconnects until it is aborted or refused. */
export async function* followEvents(
  transport: Transport,
  tokens: Tokens,
  { lastEventId, signal }: EventsOptions,
): AsyncGenerator<ChatEvent, void> {
  let backoff = FIRST_BACKOFF_MS;
  for (let isFirst = true; ; isFirst = false) {
    let wait = 0;
    const exchange = transport.exchange(signal);
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream' };
      if (lastEventId !== undefined) headers['Last-Event-ID'] = lastEventId;
      const { body } = await transport.open('/chat/events', { headers }, exchange);
      // Nothing says where the lost connection ended.
      if (!isFirst && lastEventId === undefined) yield { event: 'reset' };
      for await (const { event, data } of readEvents(body!, exchange)) {
        backoff = FIRST_BACKOFF_MS;
        if (event === 'token_expired') tokens.invalidate(tokens.get());
        else if (event === 'replaced')
          throw new AvatarChatError('replaced', 'The user has opened too many event streams.', 429);
        else if (event === 'message') {
          const message = data as Extract<ChatEvent, { event: 'message' }>['message'];
          lastEventId = message._id;
          yield { event, message };
        } else if (event !== 'going_away') {
          if (event === 'reset') lastEventId = undefined;
          yield { ...(data as object), event } as ChatEvent;
        }
      }
    } catch (error) {
      if (!(error instanceof AvatarChatError) || error.code === 'replaced') throw error;
      if (!TRANSIENT_STATUSES.includes(error.status)) throw error;
      wait = (error.retryAfter ?? 0) * 1000;
    } finally {
      exchange.dispose();
    }
    // Clients that have lost the same process do not come back at the same moment.
    await sleep(Math.max(wait, backoff * Math.random()) + wait * Math.random() * 0.1, signal);
    backoff = Math.min(2 * backoff, MAX_BACKOFF_MS);
  }
}
