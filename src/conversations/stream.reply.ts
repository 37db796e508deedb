import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventStream } from './event.stream.js';
import type { EventsQuery } from './events.dto.js';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Sends a stream as the response to a GET; a HEAD gets its headers. @param open gets the last known event, if given */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { last_event_id }: EventsQuery,
  open: (last: string | undefined) => Promise<EventStream>,
): Promise<void> {
  const given = request.headers['last-event-id'] || last_event_id;
  // Repeated parameters name no event.
  const last = given === undefined || given === '' ? undefined : String(given);
  const stream = request.method === 'HEAD' ? undefined : await open(last);
  void reply.status(200).headers(HEADERS);
  await reply.send(stream?.output ?? '');
}
