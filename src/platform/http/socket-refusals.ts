import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, failure, type ServiceError } from '../errors/index.js';
import { givenRequestId } from './request-ids.js';
import { DEFAULT_HEADERS } from './response-headers.js';

/** Maximum length of a URL, in bytes. */
export const URL_LIMIT = 8 * 1024;

/** The latest request of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Tracks the requests in progress for {@link refuseOnSocket}. */
export function watchResponses(server: Server): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => latest.set(request.socket, response));
}

/** Node's rejections before there is a request: an invalid request line, headers that are too large or too slow. */
export function refuseOnSocket(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void {
  const answer = latest.get(socket);
  const inFlight = answer?.writableFinished === false;
  if (error.code === 'ECONNRESET' || !socket.writable || (inFlight && answer.headersSent && !answer.req.complete)) {
    socket.destroy();
    return;
  }
  // A complete request followed by invalid data: the request still gets its response.
  if (inFlight && answer.req.complete) {
    answer.removeListener('finish', end).once('finish', end);
    return;
  }
  refuseConnection(socket, failure(parserError(error)));
}

/** Ends a connection; a request on it that has got no part of an answer is refused as unavailable. */
export function endConnection(socket: Socket): void {
  const response = latest.get(socket);
  const waits = response?.writableEnded === false && !response.headersSent && socket.writable;
  if (waits) refuseConnection(socket, failure('service_unavailable'));
  else socket.destroy();
}

/** Responds on a connection without a response object, and closes it. */
function refuseConnection(socket: Duplex, refusal: ServiceError): void {
  const { head, body } = rawAnswer(refusal);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.code}\r\n${lines.join('')}\r\n${body}`);
}

/** An `Expect` other than `100-continue`. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const error = failure('expectation_failed');
  const { head, body } = rawAnswer(error, givenRequestId(request.headers));
  response.writeHead(error.status, head).end(body);
}

function end(this: ServerResponse): void {
  this.req.socket.destroySoon();
}

function parserError({ code, rawPacket }: { code?: string; rawPacket?: Buffer }) {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'bad_request';
  const requestLine = rawPacket?.indexOf('\r\n') ?? 0;
  return requestLine === -1 || requestLine > URL_LIMIT ? 'uri_too_long' : 'headers_too_large';
}

function rawAnswer(
  error: ServiceError,
  request_id: string = randomUUID(),
): { head: Record<string, string | number>; body: string } {
  const body = JSON.stringify(errorBody(error, request_id));
  const head = {
    ...DEFAULT_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': request_id,
    ...error.headers,
    Connection: 'close',
  };
  return { head, body };
}
