import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../auth/index.js';

/** The subprotocol in which browsers, which cannot set headers, send the token. */
const PROTOCOL_PREFIX = 'openai-insecure-api-key.';
/** The supported subprotocol. */
const PROTOCOL = 'realtime';

/** The subprotocol to select from those that were offered. */
export function offeredProtocol(offered: ReadonlySet<string>): string | false {
  return offered.has(PROTOCOL) ? PROTOCOL : false;
}

/** Moves the token of a request from wherever it came to where the guard expects it. */
export function withOfferedToken({ headers }: IncomingMessage): void {
  const token = bearerToken(headers.authorization) ?? offeredToken(headers['sec-websocket-protocol']);
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
}

function offeredToken(protocols: string | undefined): string | undefined {
  const offered = protocols?.split(',').map((protocol) => protocol.trim());
  const found = offered?.find((protocol) => protocol.startsWith(PROTOCOL_PREFIX));
  return found?.slice(PROTOCOL_PREFIX.length) || undefined;
}
