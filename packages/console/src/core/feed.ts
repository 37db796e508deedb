import { Exchange, sleep } from '../../../client/src/abort.js';
import { readEvents } from '../../../client/src/events.js';
import { randomKey, type Api } from './api.js';
import type { ConversationState, Message } from './types.js';

/** The service sends something at least every 15 s. */
const SILENCE_MS = 40_000;
const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 15_000;
/** After the service has ended this stream in favour of a newer one. */
const REPLACED_MS = 60_000;

/** What happens to a project's conversations. */
export type FeedEvent =
  | { type: 'message'; message: Message }
  | { type: 'conversation'; user_id: string; state: ConversationState; name?: string }
  /** Something may have been missed: everything has to be loaded again. */
  | { type: 'reset' }
  | { type: 'connected'; isConnected: boolean };

/** Follows a project's `GET /admin/events` until it is aborted. Others who share the key keep their streams. */
export async function followFeed(api: Api, project_id: string, signal: AbortSignal, emit: (event: FeedEvent) => void) {
  // No name of a person: addresses are logged.
  const query = { project_id, name: randomKey() };
  let lastEventId: string | undefined;
  let backoff = FIRST_BACKOFF_MS;
  while (!signal.aborted) {
    let wait = 0;
    const exchange = new Exchange(SILENCE_MS, signal);
    try {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
      const { body } = await exchange.wait(api.open('events', { query, headers, signal: exchange.signal, timeout: 0 }));
      emit({ type: 'connected', isConnected: true });
      // Changes of conversations are not sent again.
      emit({ type: 'reset' });
      for await (const { event, data } of readEvents(body!, exchange)) {
        backoff = FIRST_BACKOFF_MS;
        if (event === 'replaced') wait = REPLACED_MS;
        else if (event === 'reset') {
          lastEventId = undefined;
          emit({ type: 'reset' });
        } else if (event === 'message') {
          const message = data as Message;
          lastEventId = message._id;
          emit({ type: 'message', message });
        } else if (event === 'conversation') emit({ ...(data as object), type: 'conversation' } as FeedEvent);
      }
    } catch {
      // The next attempt may succeed.
    } finally {
      exchange.dispose();
    }
    if (signal.aborted) return;
    emit({ type: 'connected', isConnected: false });
    // Without a stream, for example behind a proxy that keeps it, the pages are loaded again from time to time.
    emit({ type: 'reset' });
    // Consoles that have lost the same process do not come back at the same moment.
    await sleep(wait + backoff * (0.5 + Math.random() / 2), signal).catch(() => undefined);
    backoff = Math.min(2 * backoff, MAX_BACKOFF_MS);
  }
}
