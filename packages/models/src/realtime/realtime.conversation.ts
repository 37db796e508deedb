import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeResponseCreateParams,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import { unlessAborted } from 'avatar-chat-runtime';
import { RealtimeAnswer, type RealtimePart } from './realtime.answer.js';
import type { RealtimeConnection, RealtimeEvent } from './realtime.connection.js';

/** Client events for a server, as typed by the `openai` package. */
export type RealtimeSettings = RealtimeSessionCreateRequest;
export type RealtimeAnyItem = ConversationItem;
export type RealtimeItem = Extract<ConversationItem, { type: 'message' }>;
export type RealtimeResponseSettings = RealtimeResponseCreateParams;

export type { RealtimeCall, RealtimePart } from './realtime.answer.js';

/** Timeout for the end of a cancelled response, in milliseconds. */
const CANCEL_TIMEOUT_MS = 5000;

export interface ConversationListener {
  /** An event that belongs to no response. */
  onEvent(event: RealtimeEvent): void;
  /** The server is gone; a response in progress fails, too. @param wasAnswering whether there was one */
  onLost(wasAnswering: boolean): void;
}

/** A conversation with an OpenAI Realtime server: one response at a time, each explicitly requested. */
export class RealtimeConversation {
  private answer?: RealtimeAnswer;
  private count = 0;
  /** The identifier of the event that requested the response. */
  private asked = '';
  private settle: () => void = () => undefined;
  private settled: Promise<void> = Promise.resolve();
  private isLost = false;

  /** @internal Created by {@link OpenAiRealtime} */
  constructor(
    private readonly connection: RealtimeConnection,
    private readonly listener: ConversationListener,
  ) {}

  /** Sends an event; if the server rejects it, {@link ConversationListener.onEvent} gets the error. */
  send(event: RealtimeClientEvent): void {
    this.connection.send(event);
  }

  /** Sends an event that may arrive too late, such as a cancellation: the server's errors for it are ignored. */
  attempt(event: RealtimeClientEvent): void {
    this.connection.send({ ...event, event_id: `attempt_${++this.count}` });
  }

  /**
   * Requests a response. If the reader leaves or `signal` is aborted, it is cancelled.
   *
   * @param response the fields of `response.create`
   * @throws Error if it fails or is interrupted
   */
  async *respond(response: RealtimeResponseSettings, signal: AbortSignal): AsyncGenerator<RealtimePart, void> {
    await unlessAborted(this.settled, signal);
    if (signal.aborted) return;
    if (this.isLost) throw new Error('The connection is lost');
    const answer = (this.answer = new RealtimeAnswer());
    this.settled = new Promise((resolve) => (this.settle = resolve));
    this.asked = `response_${++this.count}`;
    this.send({ type: 'response.create', event_id: this.asked, response });
    try {
      yield* answer.read(signal);
    } finally {
      if (this.answer === answer) this.cancel(answer);
    }
  }

  close(): void {
    this.connection.close();
    this.end(new Error('The conversation is over'));
  }

  /** @internal */
  take(event: RealtimeEvent): void {
    const { type, error } = event;
    if (type === 'error') {
      const { event_id } = (error ?? {}) as { event_id?: unknown };
      if (typeof event_id === 'string' && event_id.startsWith('attempt_')) return;
      if (this.answer && !this.answer.isOver && !String(event_id ?? this.asked).startsWith('input_')) {
        // It was rejected before it started, so no end will be sent.
        this.answer.fail(new Error('The server sent an error'));
        return event_id === this.asked ? this.finish() : undefined;
      }
    }
    const isOfAnswer = this.answer?.take(event) ?? false;
    if (isOfAnswer && type === 'response.done') this.finish();
    if (!isOfAnswer && !type.startsWith('response.')) this.listener.onEvent(event);
  }

  /** @internal */
  lose(): void {
    const wasAnswering = this.answer !== undefined && !this.answer.isOver;
    this.end(new Error('The connection is lost'));
    this.listener.onLost(wasAnswering);
  }

  private cancel(answer: RealtimeAnswer): void {
    this.attempt({ type: 'response.cancel' });
    const giveUp = () => {
      if (this.answer !== answer) return;
      this.connection.close();
      this.lose();
    };
    setTimeout(giveUp, CANCEL_TIMEOUT_MS).unref();
  }

  private end(error: Error): void {
    this.isLost = true;
    this.answer?.fail(error);
    this.finish();
  }

  private finish(): void {
    this.answer = undefined;
    this.settle();
  }
}
