import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';

/** Bytes of a message from a client; ws closes a connection that sends more with 1009. */
export const MESSAGE_LIMIT = 1024 * 1024;
/** Bytes that may wait for a client that does not read, half a minute of sound. */
const UNSENT_LIMIT = 2 * 1024 * 1024;
/** What a client may send at once, and in the long run a second, in bytes; a message costs as much as some bytes. */
const BURST = 8 * 1024 * 1024;
const RATE = 2 * 1024 * 1024;
const MESSAGE_COST = 1024;
/** After a close, for the client's own, in milliseconds. */
const CLOSE_TIMEOUT = 2000;

/** An event for a client, to which its `event_id` is added. */
export type ServerEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What happens on a connection. */
export interface ConnectionListener {
  /** A text, or sound in a binary message. */
  onMessage(message: string | Buffer): void;
  /** It is over, whoever closed it. */
  onClosed(): void;
}

/** One WebSocket: within what a client may send and must read, and alive as long as it answers. */
export class LiveConnection {
  private readonly prefix = `event_${randomBytes(6).toString('base64url')}`;
  private events = 0;
  private credit = BURST;
  private creditAt = performance.now();
  private isAlive = true;
  private isPaused = false;
  private readonly pings: NodeJS.Timeout;
  private resuming?: NodeJS.Timeout;

  /** @param pingSeconds how long it may leave pings unanswered */
  constructor(
    private readonly socket: WebSocket,
    listener: ConnectionListener,
    pingSeconds: number,
  ) {
    this.pings = setInterval(() => this.ping(), pingSeconds * 500);
    socket.on('pong', () => (this.isAlive = true));
    socket.on('error', () => undefined); // its close follows
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
    setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT).unref();
  }

  private ping(): void {
    // What is not read from it includes its answers.
    if (!this.isAlive && !this.isPaused) return this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  /** Reads no more for a while from a client that sends more than it may. */
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
