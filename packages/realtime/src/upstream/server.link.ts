import { reasonOf } from 'avatar-chat-models';
import type { PartLogger } from 'avatar-chat-runtime';
import type { Conversation } from '../session/conversation.js';
import type { Participants } from '../session/participants.js';
import type { SessionConfig } from '../session/session.config.js';
import type { SessionPorts } from '../session/session.ports.js';

/** Minimum interval between connection attempts for input, and between reports of errors that the server sends, in milliseconds. */
const COOL_DOWN_MS = 10_000;

export interface UpstreamOptions {
  readonly parts: SessionPorts;
  readonly conversation: Conversation;
  participants(): Participants;
  config(): SessionConfig;
  refuse(error: unknown): void;
}

/** The connection to a server that hears and speaks for an avatar: opened when it is needed, and again when it was lost. */
export abstract class ServerLink<Server extends { close(): void }> {
  protected server?: Server | undefined;
  private opening?: Promise<Server> | undefined;
  private leaving = new AbortController();
  private retryAt = 0;
  private errorAt = -COOL_DOWN_MS;
  private readonly logger: PartLogger;

  constructor(protected readonly options: UpstreamOptions) {
    this.logger = options.parts.host.loggerOf(new.target.name);
  }

  /** Connects. Failures are reported to the client; the next answer tries again. */
  async open(): Promise<void> {
    const { signal } = this.leaving;
    await this.connect().catch((error: unknown) => (signal.aborted ? undefined : this.report(error)));
  }

  /** @param retries whether the next connection may follow at once */
  close(retries = false): void {
    this.leaving.abort();
    this.leaving = new AbortController();
    this.server?.close();
    this.lose();
    if (retries) this.retryAt = 0;
  }

  protected connect(): Promise<Server> {
    if (this.opening) return this.opening;
    this.retryAt = performance.now() + COOL_DOWN_MS;
    const opening = (this.opening = this.openServer(this.leaving.signal));
    opening.catch(() => {
      if (this.opening === opening) this.lose();
    });
    return opening;
  }

  /** Audio is there to be sent: connects if there is no connection, though not again and again. */
  protected reopen(): void {
    if (!this.server && !this.opening && performance.now() >= this.retryAt) void this.open();
  }

  /** Opens a connection, and sets {@link server}. */
  protected abstract openServer(signal: AbortSignal): Promise<Server>;

  /** There is no connection any more. */
  protected lose(): void {
    this.server = this.opening = undefined;
  }

  protected reportError(): void {
    if (performance.now() - this.errorAt < COOL_DOWN_MS) return;
    this.errorAt = performance.now();
    this.report(new Error('The server sent an error'));
  }

  /** What the client learns of an error. The log has the reason for the operator. */
  protected report(error: unknown): void {
    this.logger.warn(`The server of the avatar ${this.options.participants().avatar._id} failed: ${reasonOf(error)}`);
    this.options.refuse(this.presented(error));
  }

  /** The user only learns that it failed. */
  protected presented(error: unknown): unknown {
    const { host } = this.options.parts;
    return host.isForClients(error) ? error : host.engineFailed();
  }
}
