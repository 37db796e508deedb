import { AvatarChatError, networkError } from '../error.js';

/** The `WebSocket` of browsers and Node 22, or a compatible one, such as that of the package `ws`. */
export type WebSocketClass = new (url: string, protocols: string[]) => unknown;

/** How a session reaches the service. */
export interface LiveAccess {
  /** Without a trailing slash. */
  url: string;
  WebSocket?: WebSocketClass;
  token(): Promise<string>;
  /** Checks with the service that the token is valid. Renews it, or throws the reason. */
  check(): Promise<void>;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;

/**
 * Opens a connection and waits for its first event. Browsers do not reveal why a connection was rejected, so
 * the token is checked then, and the session omitted, which may have expired.
 *
 * @param attach gets the socket before any event arrives, and a callback for the first event
 * @throws AvatarChatError `network_error` if no connection can be opened, or the signal's reason
 */
export async function openSocket(
  access: LiveAccess,
  query: URLSearchParams,
  signal: AbortSignal,
  attach: (socket: WebSocket, begun: () => void) => void,
): Promise<void> {
  const Socket = access.WebSocket ?? globalThis.WebSocket;
  if (typeof Socket !== 'function') throw networkError('There is no global WebSocket; pass one.');
  const url = `${access.url.replace(/^http/, 'ws')}/v1/realtime?`;
  const open = (token: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = new Socket(url + query, ['realtime', `openai-insecure-api-key.${token}`]) as WebSocket;
      const fail = (error: Error) => {
        reject(error);
        stop();
        socket.close();
      };
      const refused = () => fail(networkError('The live session was rejected, or WebSockets are blocked.'));
      const abort = () => fail(signal.reason as Error);
      const timer = setTimeout(refused, HANDSHAKE_TIMEOUT_MS);
      const stop = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        socket.removeEventListener('close', refused);
      };
      signal.addEventListener('abort', abort);
      socket.addEventListener('close', refused);
      // Without a listener, `ws` throws. `close` follows anyway.
      socket.addEventListener('error', () => undefined);
      attach(socket, () => {
        stop();
        resolve();
      });
      if (signal.aborted) abort();
    });
  try {
    return await open(await access.token());
  } catch (error) {
    if (signal.aborted || !(error instanceof AvatarChatError) || error.status > 0) throw error;
  }
  await access.check();
  query.delete('session');
  return open(await access.token());
}
