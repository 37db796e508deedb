import type {
  ConversationItem,
  RealtimeClientEvent,
  RealtimeResponseCreateParams,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import { RealtimeAnswer, type RealtimePart } from './realtime.answer.js';
import type { RealtimeConnection, RealtimeEvent } from './realtime.connection.js';

/** What a server can be asked for, and what it can be told of, by the `openai` package. */
export type RealtimeSettings = RealtimeSessionCreateRequest;
export type RealtimeItem = Extract<ConversationItem, { type: 'message' }>;
export type RealtimeResponseSettings = RealtimeResponseCreateParams;

export type { RealtimePart } from './realtime.answer.js';

/** For the end of a response that is cancelled, in milliseconds. */
const CANCEL_TIMEOUT = 5000;

export interface ConversationListener {
  /** An event that belongs to no response. */
  onEvent(event: RealtimeEvent): void;
  /** The server is gone; an answer that was in progress fails, too. @param wasAnswering whether there was one */
  onLost(wasAnswering: boolean): void;
}

/** A conversation with a server that speaks OpenAI Realtime: one response at a time, each asked for. */
export class RealtimeConversation {
  private answer?: RealtimeAnswer;
  private count = 0;
  /** The identifier of the event that asked for the response. */
  private asked = '';
  private settle: () => void = () => undefined;
  private settled: Promise<void> = Promise.resolve();
  private isLost = false;

  /** @internal {@link OpenAiRealtime} makes them */
  constructor(
    private readonly connection: RealtimeConnection,
    private readonly listener: ConversationListener,
  ) {}

  /** Sends an event; an error that the server answers it with comes to {@link ConversationListener.onEvent}. */
  send(event: RealtimeClientEvent): void {
    this.connection.send(event);
  }

  /**
   * Sends an event that may come too late, as one that ends a response does: what the server says against it counts for
   * nothing.
   */
  attempt(event: RealtimeClientEvent): void {
    this.connection.send({ ...event, event_id: `attempt_${++this.count}` });
  }

  /**
   * Asks for a response. Where the reader leaves, or `signal` is aborted, it is cancelled.
   *
   * @param response the fields of `response.create`
   * @throws Error if it fails, or breaks off
   */
  async *respond(response: RealtimeResponseSettings, signal: AbortSignal): AsyncGenerator<RealtimePart, void> {
    await Promise.race([this.settled, aborted(signal)]);
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
        // Refused from the beginning, no end of it will come.
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
    setTimeout(giveUp, CANCEL_TIMEOUT).unref();
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

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
