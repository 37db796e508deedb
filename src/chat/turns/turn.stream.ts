import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { EVENT_STREAM_HEADERS } from '../../platform/http/index.js';
import type { TurnEvent } from './turn.service.js';

/** Interval of the comments that keep a load balancer from closing a silent connection, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

/**
 * Sends a turn as server-sent events. Errors before the first event are thrown, and get a normal error response; later
 * ones become the event `error`. If the client leaves, the turn is still consumed to its end, so that the avatar's
 * words so far are stored.
 *
 * @param leave called when the client has left
 * @param describe returns the error body of an error
 */
export async function streamTurn(
  events: AsyncGenerator<TurnEvent, void>,
  reply: FastifyReply,
  leave: () => void,
  describe: (error: unknown) => unknown,
): Promise<void> {
  const first = await events.next();
  const stream = new PassThrough();
  stream.once('close', leave);
  const keepAlive = setInterval(() => write(stream, ': still here\n\n'), KEEP_ALIVE_MS).unref();
  void reply.status(200).headers(EVENT_STREAM_HEADERS).send(stream);
  try {
    for (let next = first; !next.done; next = await events.next())
      await send(stream, next.value.event, next.value.data);
  } catch (error) {
    await send(stream, 'error', describe(error));
  } finally {
    clearInterval(keepAlive);
    stream.end();
    await events.return();
  }
}

/** Waits if the client reads more slowly than the avatar speaks. */
async function send(stream: PassThrough, event: string, data: unknown): Promise<void> {
  if (write(stream, `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) return;
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).finally(() =>
    over.abort(),
  );
}

/** @returns false if the client has to catch up first */
function write(stream: PassThrough, text: string): boolean {
  return stream.destroyed || stream.write(text);
}
