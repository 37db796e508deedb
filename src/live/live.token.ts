import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../auth/index.js';

/** What a browser, which cannot set headers, sends its token with. */
const PROTOCOL_PREFIX = 'openai-insecure-api-key.';
/** Of tokens that `POST /v1/realtime/client_secrets` gives. */
const SECRET_PREFIX = 'ek_';
/** The subprotocol that is spoken. */
const PROTOCOL = 'realtime';

/** The subprotocol to answer with, of those that were offered. */
export function offeredProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(PROTOCOL) ? PROTOCOL : false;
}

/** Puts the token of a request, wherever it came, where the guard looks for it. */
export function withOfferedToken({ headers }: IncomingMessage): void {
  const token = bearerToken(headers.authorization) ?? offeredToken(headers['sec-websocket-protocol']);
  if (token === undefined) return;
  const isSecret = token.startsWith(SECRET_PREFIX) && token.length > SECRET_PREFIX.length;
  headers.authorization = `Bearer ${isSecret ? token.slice(SECRET_PREFIX.length) : token}`;
}

function offeredToken(protocols: string | undefined): string | undefined {
  const offered = protocols?.split(',').map((protocol) => protocol.trim());
  const found = offered?.find((protocol) => protocol.startsWith(PROTOCOL_PREFIX));
  return found?.slice(PROTOCOL_PREFIX.length) || undefined;
}
