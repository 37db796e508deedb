import type { IncomingMessage } from 'node:http';
import { offeredProtocol, withOfferedToken } from './live.token.js';

const tokenOf = (headers: IncomingMessage['headers']) => {
  withOfferedToken({ headers } as IncomingMessage);
  return headers.authorization;
};

it.each<[IncomingMessage['headers'], string | undefined]>([
  [{}, undefined],
  [{ authorization: 'Bearer a' }, 'Bearer a'],
  [{ authorization: 'Bearer ek_a' }, 'Bearer ek_a'],
  [{ 'sec-websocket-protocol': 'realtime' }, undefined],
  [{ 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.a' }, 'Bearer a'],
  [{ 'sec-websocket-protocol': 'openai-insecure-api-key.ek_a,realtime' }, 'Bearer ek_a'],
  [{ 'sec-websocket-protocol': 'openai-insecure-api-key.' }, undefined],
  [{ authorization: 'Bearer a', 'sec-websocket-protocol': 'openai-insecure-api-key.b' }, 'Bearer a'],
])('%j has the token %s', (headers, token) => {
  expect(tokenOf(headers)).toBe(token);
});

it('selects the subprotocol realtime if it was offered, otherwise none', () => {
  expect([offeredProtocol(new Set(['x', 'realtime'])), offeredProtocol(new Set(['x']))]).toEqual(['realtime', false]);
});
