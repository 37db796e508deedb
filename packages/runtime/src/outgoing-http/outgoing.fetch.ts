import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { onlyEvents } from './event-stream.js';
import type { OutgoingHttp } from './outgoing.http.js';

/** Statuses of responses without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** Maximum `Retry-After` that is honored, in milliseconds: the longest pause of the client's own. */
const MAX_PAUSE_MS = 8000;

export interface ResponseLimits {
  /** Maximum size of a response, in bytes. */
  readonly maxBytes: number;
  /** Maximum size of one event of a stream, in bytes; everything but events is dropped. */
  readonly maxEventBytes?: number;
  /** Whether a response may be JSON instead of a stream of events. */
  readonly mayBeJson?: boolean;
}

/**
 * A `fetch` for clients of providers, based on {@link OutgoingHttp}: only to allowed hosts, without redirects, and with
 * limits on response size and retry delay.
 */
export function providerFetch(http: OutgoingHttp, limits: ResponseLimits): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const answer = await http.open(new URL(request.url), {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: new Uint8Array(await request.arrayBuffer()),
      signal: init?.signal ?? new AbortController().signal,
      keepAlive: true,
    });
    const { statusCode: status = 0, headersDistinct } = answer;
    try {
      const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      if (pauseOf(new Headers(headers)) > MAX_PAUSE_MS) headers.push(['x-should-retry', 'false']);
      const isStream =
        status < 300 && !(limits.mayBeJson && /^application\/json\b/i.test(answer.headers['content-type'] ?? ''));
      const body = WITHOUT_BODY.has(status) ? null : bounded(answer, isStream, limits);
      if (!body) answer.resume();
      return new Response(body, { status, headers });
    } catch (error) {
      // A status or a header that a Response rejects.
      answer.destroy();
      throw error;
    }
  };
}

/** Milliseconds that the package would wait, which no signal aborts. */
function pauseOf(headers: Headers): number {
  const [ms, after = ''] = [headers.get('retry-after-ms'), headers.get('retry-after') ?? undefined];
  const seconds = Number.parseFloat(after);
  return Number.parseFloat(ms ?? '') || (Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000);
}

function bounded(answer: Readable, isStream: boolean, { maxBytes, maxEventBytes }: ResponseLimits): ReadableStream {
  const bytes = (Readable.toWeb(answer) as NodeReadableStream as ReadableStream<Uint8Array>).pipeThrough(
    atMost(maxBytes),
  );
  return maxEventBytes === undefined || !isStream ? bytes : bytes.pipeThrough(onlyEvents(maxEventBytes));
}

function atMost(limit: number): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  return new TransformStream({
    transform(piece, controller) {
      length += piece.byteLength;
      if (length > limit) controller.error(new Error('The answer is too long'));
      else controller.enqueue(piece);
    },
  });
}
