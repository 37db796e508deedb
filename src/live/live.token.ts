import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../auth/index.js';

/** The subprotocol in which browsers, which cannot set headers, send the token. */
const PROTOCOL_PREFIX = 'openai-insecure-api-key.';
/** The supported subprotocol. */
const PROTOCOL = 'realtime';
const KEY = /^[+/0-9A-Za-z]{22}==$/;
/** A token of HTTP in a list. */
const LISTED = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*$/;

/** Whether a handshake is well-formed. To any other `ws` would give an answer of its own. */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version, 'sec-websocket-protocol': list } = headers;
  const offered = list?.split(',').map((protocol) => LISTED.exec(protocol)?.[1]) ?? [];
  const areProtocols = !offered.includes(undefined) && new Set(offered).size === offered.length;
  return method === 'GET' && areProtocols && KEY.test(key) && (version === '13' || version === '8');
}

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
