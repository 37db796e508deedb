import type { WebSocket } from 'ws';

/** An OpenAI Realtime event, with unvalidated fields. */
export type RealtimeEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Bytes that may be buffered for a server that does not read, and the ping interval in milliseconds. */
const UNSENT_LIMIT = 4 * 1024 * 1024;
const PING_MS = 15_000;
/** How long to wait for the server's close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1000;

export interface ConnectionOptions {
  onEvent(event: RealtimeEvent): void;
  /** The connection has closed, though not from this side. @param error the reason, if known */
  onLost(error?: Error): void;
}

/** A WebSocket to an OpenAI Realtime server. A message that is not an event closes it. */
export class RealtimeConnection {
  private isAlive = true;
  private isClosed = false;
  private failure?: Error;
  private readonly pings: NodeJS.Timeout;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: ConnectionOptions,
  ) {
    this.pings = setInterval(() => this.ping(), PING_MS);
    socket.on('pong', () => (this.isAlive = true));
    socket.on('error', (error) => (this.failure = error)); // the close event follows
    socket.on('message', (data: Buffer) => this.take(data.toString()));
    socket.once('close', () => {
      clearInterval(this.pings);
      if (!this.isClosed) options.onLost(this.failure);
      this.isClosed = true;
    });
  }

  send(event: object): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.socket.send(JSON.stringify(event));
    if (this.socket.bufferedAmount > UNSENT_LIMIT) this.socket.terminate();
  }

  /** Further messages are ignored. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.socket.close(1000);
    setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  private take(message: string): void {
    if (this.isClosed) return;
    const event = eventIn(message);
    if (event) this.options.onEvent(event);
    else this.socket.terminate();
  }

  private ping(): void {
    if (!this.isAlive) return this.socket.terminate();
    this.isAlive = false;
    if (this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }
}

function eventIn(message: string): RealtimeEvent | undefined {
  try {
    const event: unknown = JSON.parse(message);
    return typeof (event as RealtimeEvent | null)?.type === 'string' ? (event as RealtimeEvent) : undefined;
  } catch {
    return undefined;
  }
}
