import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { onlyEvents } from './event-stream.js';
import type { OutgoingHttp } from '../outgoing/index.js';

/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** How long a provider may have the client wait before it asks again, in milliseconds: the longest pause of its own. */
const LONGEST_PAUSE = 8000;

export interface AnswerLimits {
  /** Bytes of a whole answer. */
  readonly maxBytes: number;
  /** Bytes of one event, where the answer is a stream of them. */
  readonly maxEventBytes?: number;
}

/**
 * A `fetch` for clients of providers, by {@link OutgoingHttp}: only to where the settings allow it, without redirects, and
 * with bounds on what is read, and on how long it may have the client wait.
 */
export function providerFetch(http: OutgoingHttp, limits: AnswerLimits): typeof fetch {
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
      if (pauseOf(new Headers(headers)) > LONGEST_PAUSE) headers.push(['x-should-retry', 'false']);
      const body = WITHOUT_BODY.has(status) ? null : bounded(answer, status, limits);
      if (!body) answer.resume();
      return new Response(body, { status, headers });
    } catch (error) {
      // A status or a header that no Response takes.
      answer.destroy();
      throw error;
    }
  };
}

/** For how many milliseconds the package would wait, which no signal ends. */
function pauseOf(headers: Headers): number {
  const [ms, after = ''] = [headers.get('retry-after-ms'), headers.get('retry-after') ?? undefined];
  const seconds = Number.parseFloat(after);
  return Number.parseFloat(ms ?? '') || (Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000);
}

function bounded(answer: Readable, status: number, { maxBytes, maxEventBytes }: AnswerLimits): ReadableStream {
  const bytes = (Readable.toWeb(answer) as NodeReadableStream as ReadableStream<Uint8Array>).pipeThrough(
    atMost(maxBytes),
  );
  return maxEventBytes === undefined || status >= 300 ? bytes : bytes.pipeThrough(onlyEvents(maxEventBytes));
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
