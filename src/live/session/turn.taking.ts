import { LIVE_RATE, SPOKEN_LIMIT, spokenText } from 'avatar-chat-media';
import type { ClientEvent } from './client.event.js';
import { itemsToStore, textBefore, type Conversation, type Item } from './conversation.js';
import { Interruptions } from '../input/interruptions.js';
import type { ServerEvent } from '../live.connection.js';
import { LiveError } from '../live.error.js';
import type { Reply } from '../response/live.replies.js';
import { LiveResponse, type ResponseOptions } from '../response/live.response.js';
import { cancelledBeforehand } from '../response/response.events.js';
import { SentenceSource, spokenSentences } from '../response/sentence.source.js';
import { modalityOf, type SessionConfig } from './session.config.js';
import { type SessionParts, type Participants, usedByOf } from './session.parts.js';
import type { StageTimes } from './stage.times.js';

export interface TurnTakingOptions {
  /** Of the live session. */
  readonly id: string;
  readonly parts: SessionParts;
  readonly conversation: Conversation;
  readonly times: StageTimes;
  /** The upstream server that hears and speaks for the avatar; omitted: the service itself. */
  readonly upstream?: (Pick<ResponseOptions, 'say' | 'truncated'> & { add(item: Item): void }) | undefined;
  participants(): Participants;
  config(): SessionConfig;
  /** Whether the transcript of a complete turn is pending. */
  isTranscribing(): boolean;
  send(event: ServerEvent): void;
  refuse(error: unknown, event: ClientEvent): void;
  /** The user was erased: what was said so far must not be used any more. */
  forget(): void;
}

/** Turn-taking: one response at a time, created on request or at the end of a turn, and cancelled if the user interrupts. */
export class TurnTaking {
  private response?: LiveResponse;
  /** A response is about to start: its rate limit is being checked. */
  private beginning?: { isCancelled: boolean };
  /** A `response.create` that waits for a transcript. */
  private pendingRequest?: ClientEvent;
  /** Whether there is a turn to answer without a request. */
  private answersNext = false;
  /** Whether to answer again after the user's speech, which may turn out to have no words. */
  private repeatsNext = false;
  private hasGreeted = false;
  /** Whether the client is gone. */
  private isAbandoned = false;

  /** What the user says over the avatar. */
  readonly interruptions: Interruptions;

  constructor(private readonly options: TurnTakingOptions) {
    this.interruptions = new Interruptions({
      response: () => this.response,
      isAllowed: () => options.config().turn_detection?.interrupt_response ?? false,
      onInterruption: () => options.parts.metrics.interruptions.inc(),
    });
  }

  /** Whether a response is in progress. */
  get isAnswering(): boolean {
    return this.beginning !== undefined || this.response !== undefined;
  }

  /** Handles a `response.create`. @throws LiveError */
  requestResponse(event: ClientEvent): void {
    modalityOf(optionsOf(event).output_modalities);
    if (this.response || this.pendingRequest || (this.beginning && !this.beginning.isCancelled))
      throw new LiveError('conversation_already_has_active_response', 'A response is in progress already.');
    this.pendingRequest = event;
    this.proceed();
  }

  /** Handles a `response.cancel`. @throws LiveError */
  cancel({ response_id }: ClientEvent): void {
    const { response, beginning } = this;
    if (response && (response_id === undefined || response_id === null || response_id === response.id))
      return response.cancel('client_cancelled');
    const isBeginning = beginning && !beginning.isCancelled;
    if (!this.pendingRequest && !isBeginning)
      throw new LiveError('response_cancel_not_active', 'No response is in progress.');
    if (isBeginning) beginning.isCancelled = true;
    this.pendingRequest = undefined;
    this.options.send(cancelledBeforehand());
  }

  /** The user has stopped speaking. @param isTranscribed whether the transcript follows */
  onSilence(isTranscribed: boolean): void {
    this.interruptions.stopped(isTranscribed);
    if (!isTranscribed) this.proceed();
  }

  /**
   * The transcript of a complete turn.
   *
   * @returns whether it counts as a turn
   */
  onTranscript(item_id: string, text: string | undefined): boolean {
    if (!this.interruptions.final(item_id, text)) return false;
    if (this.options.config().turn_detection?.create_response) this.answersNext = true;
    return true;
  }

  /** The client is connected, or connected again. */
  begin(): void {
    this.isAbandoned = false;
  }

  /** The client is gone, until {@link begin}. */
  async abandon(): Promise<void> {
    this.isAbandoned = true;
    if (this.beginning) this.beginning.isCancelled = true;
    this.pendingRequest = undefined;
    this.answersNext = this.repeatsNext = false;
    this.interruptions.dismiss();
    await this.response?.abandon();
  }

  /** The user was erased: nothing of the response in progress is said any more. */
  onErased(error: unknown): void {
    if (this.response) this.response.erase(error);
    else this.options.forget();
  }

  /** Starts a requested response as soon as nothing blocks it. */
  proceed(): void {
    if (this.isAbandoned || this.isAnswering || this.options.isTranscribing()) return;
    const { pendingRequest, answersNext } = this;
    const repeats = this.repeatsNext && !this.interruptions.isSpeaking;
    if (!pendingRequest && !answersNext && !repeats) return;
    this.pendingRequest = undefined;
    this.answersNext = this.repeatsNext = false;
    const { conversation } = this.options;
    const unanswered = conversation.unanswered;
    if (unanswered.length > 0) return void this.answer(unanswered, pendingRequest ?? {});
    if (!pendingRequest) return;
    if (conversation.isEmpty && !this.hasGreeted) return void this.greet(pendingRequest);
    this.options.refuse(new LiveError('nothing_to_answer', 'There is nothing new to answer.'), pendingRequest);
  }

  private async answer(items: readonly Item[], event: ClientEvent): Promise<void> {
    for (const item of items) item.answered = true;
    const asked = itemsToStore(items);
    const last = asked.at(-1)!.id;
    const before = textBefore(items, asked);
    const said = {
      request: asked.map(({ text }) => text).join('\n'),
      ...(before === undefined ? {} : { before }),
      key: `live:${this.options.id}:${last}`,
    };
    const response = await this.respond(event, async () => {
      const reply = await this.options.parts.replies.answer({ ...this.whom(), ...said });
      for (const item of asked) item.storedWith = last;
      return reply;
    });
    // What got no answer, or is not stored, may be answered on the next request.
    for (const item of items) {
      if (!response || response.hasNoAnswer || item.storedWith === undefined) item.answered = false;
      if (response?.isPremature) item.isContinued = true;
    }
    if (response?.isPremature && this.options.config().turn_detection?.create_response) this.repeatsNext = true;
    if (response && !response.hasNoAnswer && items.some(({ answered }) => !answered)) this.answersNext = true;
    this.proceed();
  }

  private async greet(event: ClientEvent): Promise<void> {
    this.hasGreeted = true;
    const response = await this.respond(event, async () => this.options.parts.replies.greeting(this.whom()));
    if (!response || response.hasNoAnswer) this.hasGreeted = false;
    this.proceed();
  }

  private whom() {
    const { owner, resolved, avatar, session } = this.options.participants();
    const { chat_type, language_code } = this.options.config();
    return { owner, resolved, avatar, chat_type, language_code, ...(session === undefined ? {} : { session }) };
  }

  /**
   * @param event that requested it, if any
   * @returns the response when it has ended; undefined if it exceeded the rate limit, or was cancelled before it
   *   started
   */
  private async respond(event: ClientEvent, open: () => Promise<Reply>): Promise<LiveResponse | undefined> {
    const { parts, conversation, times, upstream } = this.options;
    const { owner, resolved, avatar, address } = this.options.participants();
    const { output_modality, output_format, language_code } = this.options.config();
    const usedBy = usedByOf(parts, this.options.participants());
    const beginning = (this.beginning = { isCancelled: false });
    try {
      await parts.counts.count(owner, address);
    } catch (error) {
      if (!beginning.isCancelled) this.options.refuse(error, event);
      return undefined;
    } finally {
      this.beginning = undefined;
    }
    if (beginning.isCancelled) return undefined;
    const response = new LiveResponse({
      conversation,
      modality: modalityOf(optionsOf(event).output_modalities) ?? output_modality,
      format: output_format,
      open,
      say: async function* (reply, item, signal) {
        if (upstream && !(await reply.isCareful?.())) return yield* upstream.say(reply, item, signal);
        let characters = 0;
        const speak = async (text: string) => {
          characters += spokenText(text).length;
          if (!item.spoken || characters > SPOKEN_LIMIT) return undefined;
          const request = { text, language_code, voice: avatar.voice, signal };
          const sound = await parts.speech.sound(resolved.project.speech, request);
          if (sound) parts.usage.count(usedBy, { seconds_spoken: sound.samples.length / LIVE_RATE });
          return sound;
        };
        const source = new SentenceSource(reply.pieces(), language_code);
        yield* spokenSentences(source, speak, () => times.reached('sentence'), signal);
        upstream?.add(item);
      },
      truncated: (item, at) => upstream?.truncated(item, at),
      send: (event) => this.options.send(event),
      sounds: () => times.reached('sound'),
    });
    this.response = response;
    this.interruptions.consider();
    const status = await response.ended;
    parts.metrics.responses.inc({ status });
    this.interruptions.dismiss();
    this.response = undefined;
    if (response.isGone) this.options.forget();
    return response;
  }
}

/** The options of a `response.create`. */
function optionsOf({ response }: ClientEvent): ClientEvent {
  return typeof response === 'object' && response !== null ? (response as ClientEvent) : {};
}
