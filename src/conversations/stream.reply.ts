import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginResponse, EVENT_STREAM_HEADERS } from '../platform/http/index.js';
import type { EventsQuery } from './events.dto.js';
import type { StreamClient } from './stream.opening.js';

/** Sends a stream as the response to a GET; a HEAD gets its headers. @param open opens the stream of this client */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  { last_event_id }: EventsQuery,
  holders: readonly string[],
  open: (client: StreamClient) => Promise<unknown>,
): Promise<void> {
  const given = request.headers['last-event-id'] || last_event_id;
  // Repeated parameters name no event.
  const last = given === undefined || given === '' ? undefined : String(given);
  if (request.method === 'HEAD') await reply.status(200).headers(EVENT_STREAM_HEADERS).send('');
  else await open({ holders, last, begin: () => beginResponse(request, reply.headers(EVENT_STREAM_HEADERS)) });
}
