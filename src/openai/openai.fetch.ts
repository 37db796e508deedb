import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { onlyEvents } from './event-stream.js';
import type { OutgoingHttp } from '../outgoing/index.js';

/** Statuses whose answers have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

export interface AnswerLimits {
  /** Bytes of a whole answer. */
  readonly maxBytes: number;
  /** Bytes of one event, where the answer is a stream of them. */
  readonly maxEventBytes?: number;
}

/**
 * A `fetch` for clients of providers, by {@link OutgoingHttp}: only to where the settings allow it, without redirects, and
 * with bounds on what is read.
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
