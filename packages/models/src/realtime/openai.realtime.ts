import { WebSocket } from 'ws';
import type { OutgoingHttp } from 'avatar-chat-runtime';
import type { OpenAiServer } from '../openai.server.js';
import type { OpenAiServers } from '../openai.servers.js';
import type { LiveStart } from './duplex.entry.js';
import { type ConnectionOptions, RealtimeConnection, type RealtimeEvent } from './realtime.connection.js';
import { type ConversationListener, RealtimeConversation } from './realtime.conversation.js';

/** Maximum size of a message, in bytes. */
const MAX_MESSAGE = 1024 * 1024;

export interface RealtimeOptions extends ConversationListener {
  readonly signal: AbortSignal;
}

/** Opens conversations with servers of OpenAI's Realtime and Live APIs. */
export class OpenAiRealtime {
  /** Timeout for the connection and the server's first event, in milliseconds. */
  protected readonly openMs: number = 5000;

  constructor(
    private readonly servers: OpenAiServers,
    private readonly http: OutgoingHttp,
  ) {}

  /**
   * Opens a conversation: without redirects, and only with allowed servers.
   *
   * @throws MissingKeyError if the server's key is not set, or any other error: `reasonOf` describes it
   */
  async open(server: OpenAiServer, { signal, ...listener }: RealtimeOptions): Promise<RealtimeConversation> {
    const create = (connection: RealtimeConnection) => new RealtimeConversation(connection, listener);
    const path = `realtime?model=${encodeURIComponent(server.model)}`;
    return this.connect(server, { path, first: 'session.created' }, signal, create);
  }

  /** Starts a session of the Live API, which has no turns. @throws as {@link open} */
  async openLive(
    server: OpenAiServer,
    session: LiveStart,
    { signal, onEvent, onLost }: ConnectionOptions & { readonly signal: AbortSignal },
  ): Promise<RealtimeConnection> {
    const opening = { path: 'live/sessions', first: 'session.started', start: { type: 'session.start', session } };
    const create = (connection: RealtimeConnection) => ({ connection, take: onEvent, lose: () => onLost() });
    return (await this.connect(server, opening, signal, create)).connection;
  }

  private async connect<T extends { take(event: RealtimeEvent): void; lose(): void }>(
    server: OpenAiServer,
    { path, first, start }: { readonly path: string; readonly first: string; readonly start?: object },
    signal: AbortSignal,
    create: (connection: RealtimeConnection) => T,
  ): Promise<T> {
    const { base_url } = server;
    const url = new URL(path, base_url.endsWith('/') ? base_url : `${base_url}/`);
    const key = this.servers.keyOf(server);
    const options = this.http.connectionTo(url);
    signal.throwIfAborted();
    const socket = new WebSocket(url, {
      ...options,
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
      handshakeTimeout: this.openMs,
      maxPayload: MAX_MESSAGE,
      perMessageDeflate: false,
      followRedirects: false,
    });
    return new Promise((resolve, reject) => {
      let isOpen = false;
      const fail = (error: unknown) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        connection.close();
        reject(error as Error);
      };
      const connection = new RealtimeConnection(socket, {
        onEvent: (event) => {
          if (isOpen) return conversation.take(event);
          if (event.type !== first) return fail(new Error('The server does not begin a session'));
          isOpen = true;
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          resolve(conversation);
        },
        onLost: (error) => (isOpen ? conversation.lose() : fail(refusalIn(error))),
      });
      if (start) socket.once('open', () => connection.send(start));
      const conversation = create(connection);
      const timer = setTimeout(() => fail(new Error('The server says nothing')), this.openMs);
      const leave = () => fail(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}

/** The status of a failed upgrade, which the package only has in its message. */
function refusalIn(error: Error | undefined): Error {
  const status = /^Unexpected server response: (\d{3})$/.exec(error?.message ?? '')?.[1];
  return Object.assign(new Error('The server cannot be reached'), status ? { status: Number(status) } : {});
}
