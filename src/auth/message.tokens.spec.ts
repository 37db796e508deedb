import { handshakeToken } from './message.tokens.js';

describe('the token of a handshake', () => {
  const of = (headers: Record<string, unknown>) => handshakeToken({}, { headers });
  const socketIo = (headers: Record<string, unknown>) => handshakeToken({ handshake: { headers } } as object);

  it.each<[string, string | undefined, string | undefined]>([
    ['is in the Authorization header', of({ authorization: 'Bearer a.b.c' }), 'a.b.c'],
    ['may be one of the subprotocols', of({ 'sec-websocket-protocol': 'chat, bearer.a.b.c' }), 'a.b.c'],
    ['may be in the handshake of a Socket.IO client', socketIo({ authorization: 'Bearer a.b.c' }), 'a.b.c'],
    ['is missing if its subprotocol is empty', of({ 'sec-websocket-protocol': 'bearer.' }), undefined],
    ['is missing if there are no headers', handshakeToken({}, {}), undefined],
    ['is missing if the client has neither a request nor a handshake', handshakeToken({}), undefined],
  ])('%s', (_, token, expected) => {
    expect(token).toBe(expected);
  });
});
