import { setMaxListeners } from 'node:events';
import { OutgoingError, type OutgoingHttp } from '../outgoing-http/outgoing.http.js';
import type { Clock } from '../time/clock.js';
import { signedHeaders } from './webhook.signature.js';

/** Bytes of a response that are read and dropped; a longer one is cut off. */
const ANSWER_LIMIT = 64 * 1024;

export interface SignedMessage {
  url: string;
  /** The event's identifier. */
  id: string;
  /** JSON. */
  body: string;
  /** The keys that sign it. */
  keys: readonly Buffer[];
}

/** A status, or a code in capitals that says why there was no response: the system's, or one of this service's. */
export interface DeliveryResult {
  status?: number;
  error?: string;
  /** The receiver's `Retry-After`, in seconds. */
  retryAfter?: number;
}

/** Sends a webhook once, as in the Standard Webhooks specification. Redirects are not followed. */
export class WebhookSender {
  constructor(
    private readonly config: { readonly webhookTimeoutSeconds: number },
    private readonly clock: Clock,
    private readonly http: OutgoingHttp,
  ) {}

  /**
   * Never rejects, and takes no longer than the timeout.
   *
   * @param stop aborts it: the result is then an error
   */
  async send({ url, id, body, keys }: SignedMessage, stop: AbortSignal): Promise<DeliveryResult> {
    const now = this.clock.now();
    // Not AbortSignal.any: one made of a timeout may be garbage-collected, and then never aborts.
    const limit = new AbortController();
    let timedOut = false;
    const end = () => limit.abort();
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, this.config.webhookTimeoutSeconds * 1000);
    if (stop.aborted) end();
    // All deliveries in progress share it.
    setMaxListeners(0, stop);
    stop.addEventListener('abort', end);
    try {
      // A new connection each time: the receiver may close a kept-alive one just as we write.
      const answer = await this.http.open(new URL(url), {
        signal: limit.signal,
        body,
        headers: signedHeaders(id, now, body, keys),
      });
      let size = 0;
      try {
        for await (const chunk of answer) if ((size += (chunk as Buffer).length) > ANSWER_LIMIT) break;
      } catch {
        // The status has arrived: errors in the rest of the response do not matter.
      }
      return { status: answer.statusCode, retryAfter: secondsIn(answer.headers['retry-after'], this.clock.now()) };
    } catch (error) {
      return { error: timedOut ? 'TIMEOUT' : error instanceof OutgoingError ? error.code : 'FAILED' };
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', end);
    }
  }
}

/** A `Retry-After` header: a number of seconds, or a date in any of HTTP's formats (RFC 9110), all of them in GMT. */
function secondsIn(header = '', now: number): number | undefined {
  if (/^\d+$/.test(header)) return Number(header);
  const date = /^[A-Z][a-z]+,? /.test(header) ? Date.parse(header.replace(/(?: GMT)?$/, ' GMT')) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000));
}
