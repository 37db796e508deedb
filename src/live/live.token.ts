import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../auth/index.js';

/** The subprotocol in which browsers, which cannot set headers, send the token. */
const PROTOCOL_PREFIX = 'openai-insecure-api-key.';
/** Prefix of tokens from `POST /v1/realtime/client_secrets`. */
const SECRET_PREFIX = 'ek_';
/** The supported subprotocol. */
const PROTOCOL = 'realtime';

/** The subprotocol to select from those that were offered. */
export function offeredProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(PROTOCOL) ? PROTOCOL : false;
}

/** Moves the token of a request from wherever it came to where the guard expects it. */
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
