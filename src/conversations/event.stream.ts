import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { TokenValidity } from '../auth/index.js';
import { isDatabaseUnavailable } from '../platform/database/index.js';
import { describeError, loggerOf } from '../platform/logging/index.js';
import { Coalesced, onceClosedInQueue } from 'avatar-chat-runtime';
import type { MessageDocument } from '../messages/index.js';
import type { ProjectPosition, UserPosition } from './positions.js';

/** Messages that are read at a time. */
const BATCH = 25;
/** Unread bytes at which a client is given up. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** How long a stream is silent at most, so that load balancers do not close it, in milliseconds. */
const MAX_SILENCE_MS = 14_000;
/** How often a stream says at most that somebody is typing, in milliseconds. */
const TYPING_MS = 5000;
/** Clients of a process that has died come back spread over this time, in milliseconds. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [1000, 6000];

const logger = loggerOf('EventStream');

export type StreamEnd = 'token_expired' | 'going_away' | 'replaced' | 'messages_removed';

export interface StreamOptions {
  /** A user, or all users of a project. */
  readonly subject: { readonly project_id: string; readonly user_id?: string };
  /** The user and possibly the address, or the operator and the key. */
  readonly holders: readonly string[];
  readonly position: UserPosition | ProjectPosition;
  /** Of the token of its client, if it is a user's. */
  readonly validity?: TokenValidity;
  /** Number of erasures when it began. */
  fence: number;
  /** Whether its client has to read the history first. */
  readonly isReset: boolean;
  /** Begins the response. */
  begin(): ServerResponse;
  /** Reads a change of who answers that its client may have missed, once, after the messages. */
  missedChange?: (() => Promise<object | undefined>) | undefined;
  /** The message as clients see it. */
  present(message: MessageDocument): unknown;
  /** Called once, when it is over. */
  onClose(stream: EventStream): void;
}

/** One client's stream of events. */
export class EventStream {
  private readonly output: ServerResponse;
  private lastWrite = performance.now();
  private lastTyping = -Infinity;
  private readonly sending = new Coalesced(() => this.sendAll());
  /** Calls of {@link sendMessages} that are not over. */
  private calls = 0;
  private hasFailed = false;
  /** Until it has sent what was stored before, which is sent as fast as the client reads. */
  private isReplaying = true;

  constructor(readonly options: StreamOptions) {
    // No other stream between it and the connection: two thousand of them would take as much as all the rest.
    this.output = options.begin();
    this.output.on('error', () => undefined);
    this.write(`retry: ${Math.round(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS))}\n\n`);
    if (options.isReset) this.send('reset');
  }

  /** From now on, `onClose` is called when its client leaves: at once if it left before the response began. */
  watchClient(): void {
    const { output, options } = this;
    const close = () => {
      // Node emits no event for a response without a connection.
      output.destroy();
      options.onClose(this);
    };
    if (output.destroyed || output.req.socket.destroyed) return close();
    output.once('close', close);
    onceClosedInQueue(output, close);
  }

  get isOver(): boolean {
    return this.output.destroyed || this.output.writableEnded;
  }

  /** Whether it has to look for messages again, without news. */
  get isBehind(): boolean {
    return this.hasFailed || this.options.position.isHeld;
  }

  /** Sends what has been stored since. Never rejects. */
  async sendMessages(): Promise<void> {
    this.calls++;
    try {
      await this.sending.get([]);
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      if (!isDatabaseUnavailable(error)) logger.error({ ...describeError(error) });
    }
    if (--this.calls === 0 && !this.hasFailed) this.isReplaying = false;
  }

  /** Sends a message that all streams of its project send. @param text as {@link textOf} has it */
  sendShared(message: MessageDocument, text: string): void {
    const { position } = this.options as { position: ProjectPosition };
    if (!position.isBefore(message)) return;
    if (!this.isReplaying) return this.write(text);
    position.held.add(message._id);
    void this.sendMessages();
  }

  send(event: string, data: object = {}, id?: string): void {
    this.write(textOf(event, data, id));
  }

  sendTyping(avatar_id: string, name: string): void {
    const now = performance.now();
    if (now - this.lastTyping < TYPING_MS) return;
    this.lastTyping = now;
    this.send('typing', { avatar_id, name, typing: true });
  }

  /** A comment, if nothing else was sent for a while. */
  keepAlive(): void {
    if (performance.now() - this.lastWrite > MAX_SILENCE_MS) this.write(': still here\n\n');
  }

  /** Sends a last event. */
  endWith(event: StreamEnd): void {
    if (this.isOver) return;
    this.send(event);
    this.output.end();
    this.options.onClose(this);
  }

  private async sendAll(): Promise<void> {
    const { position, missedChange, present } = this.options;
    do
      for (const message of await position.next(BATCH)) {
        if (this.isOver) return;
        this.send('message', present(message) as object, message._id);
        position.markSent(message);
        if (this.isReplaying) await this.drained();
      }
    while (position.hasMore);
    const change = await missedChange?.();
    delete this.options.missedChange;
    if (change) this.send('conversation', change);
  }

  private async drained(): Promise<void> {
    if (!this.output.writableNeedDrain || this.isOver) return;
    const over = new AbortController();
    const { signal } = over;
    await Promise.race([once(this.output, 'drain', { signal }), once(this.output, 'close', { signal })]).finally(() =>
      over.abort(),
    );
  }

  private write(text: string): void {
    if (this.isOver) return;
    this.lastWrite = performance.now();
    this.output.write(text);
    if (this.isReplaying || this.output.writableLength <= MAX_UNREAD_BYTES) return;
    this.output.destroy();
  }
}

/** An event as it is sent. */
export function textOf(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
