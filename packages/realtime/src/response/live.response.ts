import { LIVE_RATE, type SpeechSamples } from 'avatar-chat-media';
import type { Conversation, Truncatable, Item } from '../session/conversation.js';
import type { SessionHost } from '../session/session.ports.js';
import type { ServerEvent } from '../live.connection.js';
import { LiveError } from '../live.error.js';
import type { Reply } from './reply.js';
import { CALL_LEAD_MS, Playback } from './playback.js';
import {
  newResponseId,
  NO_TOKENS,
  ResponseEvents,
  type ResponseFrame,
  type ResponseStatus,
} from './response.events.js';
import { SpokenAnswer } from './spoken.answer.js';

/** Why a response ended early. */
export type CancelReason = 'client_cancelled' | 'client_gone' | 'turn_detected' | 'conversation_taken';

/** A piece of an answer, possibly without audio. */
export interface Utterance {
  readonly text: string;
  readonly sound?: SpeechSamples | Promise<SpeechSamples | undefined> | undefined;
  /** Whether the answer starts here: all earlier pieces were retracted. */
  readonly restarts?: boolean;
}

export interface ResponseOptions {
  readonly host: Pick<SessionHost, 'newId' | 'asLiveError' | 'isGone'>;
  /** Omitted for a response that is no part of it. */
  readonly conversation?: Conversation | undefined;
  readonly frame: ResponseFrame;
  readonly hasVisemes: boolean;
  readonly hasWords: boolean;
  /** Whether the service itself plays the audio. */
  readonly isCall?: boolean | undefined;
  /** Stores the user's words, and asks the avatar. */
  open(): Promise<Reply>;
  /** The answer, piece by piece, each requested after the previous one was sent. @throws any error of the answer */
  say(reply: Reply, item: Item, signal: AbortSignal): AsyncIterable<Utterance>;
  /** The calls of functions of the client, once the answer is complete. */
  calls?(): readonly Item[];
  /** An item was truncated to what was heard. @param at milliseconds of its audio */
  truncated(item: Item, at: number): void;
  send(event: ServerEvent): void;
  /** The first audio was sent. */
  sounds(): void;
  /** Audio was sent. @param goesOn whether it is played without a pause after what was sent before */
  plays(samples: Int16Array, goesOn: boolean): void;
}

/** One answer of an avatar in a live session: its text, its audio at playback speed, and its stored message. */
export class LiveResponse implements Truncatable {
  readonly id = newResponseId();
  /** Resolves when `response.done` has been sent. Never rejects. */
  readonly ended: Promise<ResponseStatus>;
  /** The identifier is also the `_id` of the message. */
  readonly item: Item;
  private readonly events: ResponseEvents;
  private readonly answer = new SpokenAnswer();
  private readonly playback: Playback;
  private readonly stopping = new AbortController();
  private readonly options: Omit<ResponseOptions, 'open'>;
  private reply?: Reply;
  private truncateStored?: Reply['truncate'];
  private status: ResponseStatus = 'in_progress';
  private details: object | null = null;
  private failure: unknown;
  private isPaused = false;
  private isSpokenOver = false;
  private isStored = false;
  private isLimited = false;

  constructor({ open, ...options }: ResponseOptions) {
    const { frame, hasVisemes, hasWords, send } = options;
    this.options = options;
    this.playback = new Playback(LIVE_RATE, options.isCall ? CALL_LEAD_MS : undefined);
    const id = options.host.newId();
    this.item = {
      id,
      role: 'assistant',
      status: 'in_progress',
      text: '',
      spoken: frame.modality === 'audio',
      answer: this,
    };
    this.events = new ResponseEvents({ id: this.id, item: this.item, frame, hasVisemes, hasWords, send });
    this.events.created();
    this.ended = this.run(open);
  }

  /** Whether it failed, or was cancelled, before its first audio: then the user's words got no answer. */
  get hasNoAnswer(): boolean {
    return this.status !== 'completed' && !this.isStored;
  }

  /** Whether any of it is stored. */
  get hasStored(): boolean {
    return this.isStored;
  }

  /** Whether the user had only paused: they went on before its first audio. */
  get isPremature(): boolean {
    return this.hasNoAnswer && this.isSpokenOver;
  }

  wasCancelled(reason: CancelReason): boolean {
    return (this.details as { reason?: CancelReason } | null)?.reason === reason;
  }

  /** Whether the avatar hands the conversation over in it. */
  get isHandingOver(): boolean {
    return this.reply?.isTaken ?? false;
  }

  /** Whether it found that the user had been erased. */
  get isGone(): boolean {
    return this.options.host.isGone(this.failure);
  }

  /** Whether it is still being answered: not if it only has to be stored. */
  get isAnswering(): boolean {
    return this.status === 'in_progress';
  }

  /** The answer ends here, since it may not be longer. */
  limitOutput(): void {
    this.isLimited = true;
  }

  /** How much of its audio has been sent but not heard yet, in milliseconds. */
  get playbackLeftMs(): number {
    return this.playback.ahead;
  }

  /** Pauses the audio until {@link resume}: the user may be about to interrupt. */
  pause(): void {
    this.isPaused = true;
    this.playback.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.playback.resume();
  }

  /** Ends the response: only the closing events are still sent. */
  cancel(reason: CancelReason): void {
    if (this.status !== 'in_progress') return;
    this.status = 'cancelled';
    this.details = { type: 'cancelled', reason };
    this.isSpokenOver = this.isPaused || reason === 'turn_detected';
    this.stop();
    this.reply?.end();
  }

  /** The user was erased: ends the response, of which nothing is kept. */
  erase(error: unknown): void {
    this.failure = error;
    if (this.status !== 'in_progress') return;
    this.fail(error);
    this.stop();
    this.reply?.erase(error);
  }

  async truncate(audio_end_ms: number): Promise<number> {
    const cut = this.answer.truncate(audio_end_ms);
    this.cancel(this.isPaused ? 'turn_detected' : 'client_cancelled');
    await this.ended;
    await this.storeHeard();
    return cut;
  }

  /** The client is gone: keeps only what was heard by now. */
  async abandon(): Promise<void> {
    const isOver = this.status !== 'in_progress';
    if (isOver && this.playback.ahead <= 0) return;
    this.answer.interrupt(this.playback.played);
    this.cancel('client_gone');
    await this.ended;
    if (isOver) await this.storeHeard();
  }

  private stop(): void {
    this.answer.interrupt(this.playback.played);
    this.stopping.abort();
  }

  private async storeHeard(): Promise<void> {
    this.item.text = this.answer.heard;
    this.reportTruncation();
    if (this.isStored) await this.truncateStored!(this.item.id, this.answer.heard);
  }

  private async run(open: ResponseOptions['open']): Promise<ResponseStatus> {
    const { signal } = this.stopping;
    try {
      this.reply = await open();
      if (this.reply.isTaken) this.cancel('conversation_taken');
      if (signal.aborted) this.reply.end();
      else await this.speakAll(this.reply, signal);
      if (this.reply.isTaken && !this.isStored) this.cancel('conversation_taken');
    } catch (error) {
      if (!signal.aborted) this.failure = error;
      // Ends what is still being spoken.
      this.stopping.abort();
    }
    try {
      // After a failure, what was already sent will still be heard.
      if (this.failure !== undefined) this.answer.interrupt(this.playback.sent);
      if (this.isStored) await this.store();
    } catch (error) {
      this.failure ??= error;
    }
    if (this.failure !== undefined) this.fail(this.failure);
    else if (this.status === 'in_progress') this.complete();
    const unheard = signal.aborted && !this.isStored ? new LiveError('client_left', 'Cancelled.') : undefined;
    this.reply?.leave(this.failure ?? unheard);
    // The item, which holds this, stays in the session; what the user said and the engine was asked does not.
    this.truncateStored = this.reply?.truncate;
    const tokens = this.reply?.tokens;
    this.reply = undefined;
    this.end(tokens);
    return this.status;
  }

  /** Stores what was heard, or nothing if the response ended before its first word or the user was erased. */
  private async store(): Promise<void> {
    if (this.answer.text && !this.isGone) return this.reply!.finish(this.item.id, this.answer.heard);
    this.isStored = false;
    await this.reply!.withdraw(this.item.id);
  }

  private complete(): void {
    this.status = this.isLimited ? 'incomplete' : 'completed';
    if (this.isLimited) this.details = { type: 'incomplete', reason: 'max_output_tokens' };
  }

  private fail(error: unknown): void {
    const { type, code } = this.options.host.asLiveError(error);
    this.status = 'failed';
    this.details = { type: 'failed', error: { type, code } };
  }

  private async speakAll(reply: Reply, signal: AbortSignal): Promise<void> {
    for await (const { text, sound, restarts } of this.options.say(reply, this.item, signal)) {
      if (signal.aborted) return;
      if (restarts) this.answer.restart();
      if (restarts && text === '') continue;
      const isFirst = !this.isStored;
      // The audio is synthesized while the message is stored.
      if (isFirst) await this.begin(reply, text.trim());
      const made = await sound;
      // An answer that is interrupted before its first audio was never started.
      if (isFirst) await this.playback.untilDue(signal);
      if (signal.aborted) return;
      if (isFirst) this.events.begun(this.options.conversation?.add(this.item) ?? null);
      await this.speakSentence(text, made, signal);
      if (signal.aborted) return;
    }
  }

  private async begin(reply: Reply, text: string): Promise<void> {
    await reply.begin(this.item.id, text);
    this.isStored = true;
  }

  private async speakSentence(text: string, sound: SpeechSamples | undefined, signal: AbortSignal): Promise<void> {
    // In whole milliseconds, relative to the piece of audio they belong to.
    const offset = Math.ceil(this.playback.sent);
    const end = Math.floor(this.playback.sent + ((sound?.samples.length ?? 0) * 1000) / LIVE_RATE);
    const within = (seconds: number) => Math.min(Math.max(offset, end), offset + Math.round(seconds * 1000));
    const words = (sound?.words ?? [{ text, start: 0, end: 0 }]).map((word) => ({
      text: word.text,
      start: within(word.start),
      end: within(word.end),
    }));
    this.answer.add(text, words);
    this.item.text = this.answer.text;
    if (text) this.events.text(text);
    if (!sound) return;
    this.events.sentence(sound, words, offset);
    const emit = (piece: Int16Array) => {
      if (this.playback.sent === 0) this.options.sounds();
      this.events.sound(piece);
      this.options.plays(piece, this.playback.ahead > 0);
      this.answer.sent = Math.round(this.playback.sent + (piece.length * 1000) / LIVE_RATE);
    };
    await this.playback.send(sound.samples, emit, signal);
  }

  private end(usage = NO_TOKENS): void {
    const text = this.answer.text.trim();
    const { conversation, calls } = this.options;
    this.item.status = this.status === 'completed' ? 'completed' : 'incomplete';
    this.item.text = text;
    this.events.ended(text, conversation?.previousOf(this.item.id) ?? null);
    for (const call of (this.status === 'completed' && calls?.()) || [])
      this.events.called(call, conversation?.add(call) ?? null);
    this.events.done({ status: this.status, status_details: this.details, usage });
    // Only the remaining words count from now on.
    this.item.text = this.answer.heard;
    this.reportTruncation();
  }

  private reportTruncation(): void {
    if (this.answer.truncatedAt !== undefined) this.options.truncated(this.item, Math.round(this.answer.truncatedAt));
  }
}
