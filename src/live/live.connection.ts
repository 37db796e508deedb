import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';

/** Maximum size of a message from a client, in bytes; ws closes the connection with 1009 if it is larger. */
export const MESSAGE_LIMIT = 1024 * 1024;
/** Bytes that may be buffered for a client that does not read: half a minute of audio. */
const UNSENT_LIMIT = 2 * 1024 * 1024;
/** A client's burst and sustained rate (per second), in bytes; each message has an overhead in bytes. */
const BURST = 8 * 1024 * 1024;
const RATE = 2 * 1024 * 1024;
const MESSAGE_COST = 1024;
/** How long to wait for the client's close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2000;

/** An event for a client; the `event_id` is added on sending. */
export type ServerEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Callbacks of a connection. */
export interface ConnectionListener {
  /** Text, or audio in a binary message. */
  onMessage(message: string | Buffer): void;
  /** The connection has closed, from either side. */
  onClosed(): void;
}

/** A WebSocket with rate limits, backpressure and pings. */
export class LiveConnection {
  private readonly prefix = `event_${randomBytes(6).toString('base64url')}`;
  private events = 0;
  private credit = BURST;
  private creditAt = performance.now();
  private isAlive = true;
  private isPaused = false;
  private readonly pings: NodeJS.Timeout;
  private resuming?: NodeJS.Timeout;

  /** @param pingSeconds how long pings may remain unanswered */
  constructor(
    private readonly socket: WebSocket,
    listener: ConnectionListener,
    pingSeconds: number,
  ) {
    this.pings = setInterval(() => this.ping(), pingSeconds * 500);
    socket.on('pong', () => (this.isAlive = true));
    socket.on('error', () => undefined); // the close event follows
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.spend(data.length + MESSAGE_COST);
      listener.onMessage(isBinary ? data : data.toString());
    });
    socket.once('close', () => {
      clearInterval(this.pings);
      clearTimeout(this.resuming);
      listener.onClosed();
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(event: ServerEvent): void {
    if (!this.isOpen) return;
    const { type, ...rest } = event;
    this.socket.send(JSON.stringify({ type, event_id: `${this.prefix}_${++this.events}`, ...rest }));
    if (this.socket.bufferedAmount > UNSENT_LIMIT) this.socket.terminate();
  }

  close(code: number, reason: string): void {
    this.socket.close(code, reason);
    setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  private ping(): void {
    // While its messages are not read, neither are its pongs.
    if (!this.isAlive && !this.isPaused) return this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  /** Pauses reading from a client that exceeds its rate. */
  private spend(cost: number): void {
    const now = performance.now();
    this.credit = Math.min(BURST, this.credit + ((now - this.creditAt) * RATE) / 1000) - cost;
    this.creditAt = now;
    if (this.credit >= 0 || this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
    this.resuming = setTimeout(
      () => {
        this.isPaused = false;
        this.isAlive = true;
        this.socket.resume();
      },
      (-this.credit * 1000) / RATE,
    );
  }
}
