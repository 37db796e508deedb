import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorBody, failure, type ServiceError } from '../errors/index.js';
import { DEFAULT_HEADERS } from './response-headers.js';

/** Bytes of a URL. */
export const URL_LIMIT = 8 * 1024;

/** What each connection was last asked for. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Has {@link refuseOnSocket} know what is in progress on a connection. */
export function watchAnswers(server: Server): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => latest.set(request.socket, response));
}

/** Node's refusals before there is a request at all: a bad request line, large or slow headers. */
export function refuseOnSocket(error: Error & { code?: string; rawPacket?: Buffer }, socket: Socket): void {
  const answer = latest.get(socket);
  const underWay = answer?.writableFinished === false;
  if (error.code === 'ECONNRESET' || !socket.writable || (underWay && answer.headersSent && !answer.req.complete)) {
    socket.destroy();
    return;
  }
  // A whole request, and then something else: the request still has its answer.
  if (underWay && answer.req.complete) {
    answer.removeListener('finish', end).once('finish', end);
    return;
  }
  refuseConnection(socket, failure(parserError(error)));
}

/** Answers on a connection for which there is no response object, and ends it. */
export function refuseConnection(socket: Duplex, refusal: ServiceError): void {
  const { head, body } = rawAnswer(refusal);
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.code}\r\n${lines.join('')}\r\n${body}`);
}

/** An `Expect` that asks for something other than `100-continue`. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const error = failure('expectation_failed');
  const { head, body } = rawAnswer(error);
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

function rawAnswer(error: ServiceError): { head: Record<string, string | number>; body: string } {
  const request_id = randomUUID();
  const body = JSON.stringify(errorBody(error, request_id));
  const head = {
    ...DEFAULT_HEADERS,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': request_id,
    Connection: 'close',
  };
  return { head, body };
}
