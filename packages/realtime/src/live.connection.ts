import { randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setImmediate as handBack, setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';

/** Maximum size of a message from a client, in bytes; ws closes the connection with 1009 if it is larger. */
export const MESSAGE_LIMIT = 1024 * 1024;
/** Bytes that may be buffered for a client that does not read: half a minute of audio. */
const UNSENT_LIMIT = 2 * 1024 * 1024;
/** What a message, a ping, or a pong costs besides its bytes, and an error in reply, in bytes. */
const MESSAGE_COST = 4 * 1024;
const REFUSAL_COST = 16 * 1024;
/** Messages that may wait to be handled before the client is no longer read. */
const MAX_INBOX = 8;
/** Messages that are still handled, at once, after the client has closed the connection: it may tell what was heard. */
const MAX_LAST_MESSAGES = 32;
/** How long to wait for the client's close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2000;

/** An event for a client; the `event_id` is added on sending. */
export type ServerEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What a session needs of a WebSocket, or of a call that behaves as one. */
export type LiveSocket = Pick<EventEmitter, 'on' | 'once'> &
  Pick<
    WebSocket,
    'OPEN' | 'readyState' | 'bufferedAmount' | 'send' | 'ping' | 'pause' | 'resume' | 'close' | 'terminate'
  >;

export interface ConnectionOptions {
  /** How long pings may remain unanswered. */
  readonly pingSeconds: number;
  /** Text, or audio in a binary message. The next one waits until it is handled. Never rejects. */
  onMessage(message: string | Buffer): Promise<void>;
  /** The connection has closed, from either side, and what the client had sent before is handled. */
  onClosed(): void;
  /** Counts what its client costs, in bytes. @returns milliseconds until it may go on */
  spend(cost: number): number;
}

/**
 * A WebSocket with pings, whose messages are handled one at a time, with other work of the process in between. A client
 * that costs more than its share is not read for a while.
 */
export class LiveConnection {
  private readonly prefix = `event_${randomBytes(6).toString('base64url')}`;
  private events = 0;
  private readonly inbox: (string | Buffer)[] = [];
  private isWorking = false;
  private blockedUntil = 0;
  private isAlive = true;
  private isPaused = false;
  /** Whether the service has closed it: nothing more is handled. */
  private isDismissed = false;
  private isClosed = false;
  private isReported = false;
  private readonly pings: NodeJS.Timeout;

  constructor(
    private readonly socket: LiveSocket,
    private readonly options: ConnectionOptions,
  ) {
    this.pings = setInterval(() => this.ping(), options.pingSeconds * 500);
    socket.on('ping', () => this.spend(MESSAGE_COST));
    socket.on('pong', () => {
      this.isAlive = true;
      this.spend(MESSAGE_COST);
    });
    socket.on('error', () => undefined); // the close event follows
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (!this.isOpen) return;
      this.inbox.push(isBinary ? data : data.toString());
      this.spend(data.length + MESSAGE_COST);
      void this.handleMessages();
    });
    socket.once('close', () => {
      clearInterval(this.pings);
      this.isClosed = true;
      this.inbox.splice(MAX_LAST_MESSAGES);
      void this.handleMessages();
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  send(event: ServerEvent): void {
    if (!this.isOpen) return;
    const { type, ...rest } = event;
    const message = JSON.stringify({ type, event_id: `${this.prefix}_${++this.events}`, ...rest });
    this.socket.send(message);
    this.spend(message.length + (type === 'error' ? REFUSAL_COST : 0));
    if (this.socket.bufferedAmount > UNSENT_LIMIT) this.socket.terminate();
  }

  close(code: number, reason: string): void {
    this.isDismissed = true;
    this.socket.close(code, reason);
    this.socket.resume();
    setTimeout(() => this.socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  }

  private ping(): void {
    // While its messages are not read, neither are its pongs.
    if (!this.isAlive && !this.isPaused) return this.socket.terminate();
    this.isAlive = false;
    this.socket.ping();
  }

  /** Pauses reading from a client that exceeds its share, or whose messages wait. */
  private spend(cost: number): void {
    const wait = this.options.spend(cost);
    if (wait > 0) this.blockedUntil = performance.now() + wait;
    if ((wait <= 0 && this.inbox.length <= MAX_INBOX) || this.isPaused || !this.isOpen) return;
    this.isPaused = true;
    this.socket.pause();
    void this.handleMessages();
  }

  private reportClosed(): void {
    if (!this.isReported) this.options.onClosed();
    this.isReported = true;
  }

  private async handleMessages(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    while (!this.isDismissed) {
      const wait = this.isOpen ? this.blockedUntil - performance.now() : 0;
      if (wait > 0) await delay(wait, undefined, { ref: false });
      else if (this.inbox.length > 0) await this.options.onMessage(this.inbox.shift()!);
      else break;
      await handBack();
    }
    this.isWorking = false;
    if (this.isClosed) return this.reportClosed();
    if (!this.isPaused || !this.isOpen) return;
    this.isPaused = false;
    this.isAlive = true;
    this.socket.resume();
  }
}
