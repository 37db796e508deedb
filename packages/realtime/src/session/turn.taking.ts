import { LIVE_RATE, SPOKEN_LIMIT, spokenText } from 'avatar-chat-media';
import { seesImages } from 'avatar-chat-models';
import type { ClientEvent } from './client.event.js';
import { itemsToStore, newItemId, storedText, textBefore, type Conversation, type Item } from './conversation.js';
import { Interruptions } from '../input/interruptions.js';
import type { ServerEvent } from '../live.connection.js';
import { LiveError } from '../live.error.js';
import { type Asking, type Reply, TAKEN } from '../response/reply.js';
import { LiveResponse, type ResponseOptions } from '../response/live.response.js';
import { cancelledBeforehand, emptyResponse, type ResponseFrame } from '../response/response.events.js';
import { limitedPieces } from '../response/limited.pieces.js';
import { NO_REQUEST, parseResponseRequest, type ResponseRequest, UNASKED } from '../response/response.request.js';
import type { VoiceUpstream } from '../upstream/upstreams.js';
import { type CallingAttempt, type CallingTurn, ClientCalls } from './client.calls.js';
import { clientContext } from './client.context.js';
import { SentenceSource, spokenSentences } from '../response/sentence.source.js';
import type { SessionConfig } from './session.config.js';
import { type Participants, usedByOf } from './participants.js';
import type { SessionPorts, SpokenMessage } from './session.ports.js';
import type { StageTimes } from './stage.times.js';

export interface TurnTakingOptions {
  /** Of the live session. */
  readonly id: string;
  readonly parts: SessionPorts;
  readonly conversation: Conversation;
  readonly times: StageTimes;
  /** The upstream server that hears and speaks for the avatar; omitted: the service itself. */
  readonly upstream?: Pick<VoiceUpstream, 'say' | 'truncated' | 'isVoice' | 'ignoreTurn'> | undefined;
  participants(): Participants;
  config(): SessionConfig;
  /** Whether the transcript of a complete turn is pending. */
  isTranscribing(): boolean;
  /** Milliseconds of audio received. */
  position(): number;
  plays: ResponseOptions['plays'];
  send(event: ServerEvent): void;
  refuse(error: unknown, event: ClientEvent): void;
  /** The user was erased: what was said so far must not be used any more. */
  forget(): void;
}

/** How often the avatar speaks again after silences, until the user says something. */
const MAX_IDLE_PROMPTS = 3;
/** Messages of people that wait to be spoken. */
const MAX_MESSAGES = 10;

/** Turn-taking: one response at a time, created on request or at the end of a turn, and cancelled if the user interrupts. */
export class TurnTaking {
  private response?: LiveResponse;
  /** A response is about to start: its rate limit is being checked. */
  private beginning?: { isCancelled: boolean } | undefined;
  /** What the response in progress, or else the last one, was created with. */
  private current = NO_REQUEST;
  /** A `response.create` that waits for a transcript, or for the end of a cancelled response. */
  private pendingRequest?: ResponseRequest | undefined;
  /** If there is a turn to answer without a request: the options. */
  private answersNext?: ResponseRequest | undefined;
  /** Whether to answer again after the user's speech, which may turn out to have no words. */
  private repeatsNext = false;
  private hasGreeted = false;
  /** Messages of people that are still to be spoken. */
  private messages: SpokenMessage[] = [];
  private idleTimer?: NodeJS.Timeout;
  /** How often the avatar has spoken since the user did. */
  private idlePrompts = 0;
  /** Whether the client is gone. */
  private isAbandoned = false;

  private readonly calls: ClientCalls;

  /** What the user says over the avatar. */
  readonly interruptions: Interruptions;

  constructor(private readonly options: TurnTakingOptions) {
    this.calls = new ClientCalls(options.conversation);
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
    const { conversation, participants } = this.options;
    const find = (id: unknown) => conversation.find(id);
    const request = parseResponseRequest(event, find, seesImages(participants().avatar.engine), this.hasContext);
    const isActive = this.response?.isAnswering || (this.beginning && !this.beginning.isCancelled);
    // A client that is back does not know yet what is answered by itself: what it asks for follows.
    if (this.pendingRequest || (isActive && !this.current.isKept))
      throw new LiveError('conversation_already_has_active_response', 'A response is in progress already.');
    this.pendingRequest = request;
    this.proceed();
  }

  /** Handles a `response.cancel`. @throws LiveError */
  cancel({ response_id }: ClientEvent): void {
    const { response, beginning, pendingRequest } = this;
    if (response?.isAnswering && (response_id === undefined || response_id === null || response_id === response.id))
      return response.cancel('client_cancelled');
    const isBeginning = beginning && !beginning.isCancelled;
    if (!pendingRequest && !isBeginning)
      throw new LiveError('response_cancel_not_active', 'Cancellation failed: no active response found.');
    if (isBeginning) beginning.isCancelled = true;
    else this.pendingRequest = undefined;
    this.options.send(cancelledBeforehand(this.frameOf(isBeginning ? this.current : pendingRequest!)));
  }

  /** Ends the response in progress, if any: nobody wants to hear it. */
  silence(): void {
    this.response?.cancel('client_cancelled');
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
    if (this.options.config().turn_detection?.create_response) this.answersNext ??= NO_REQUEST;
    return true;
  }

  /** The client is connected, or connected again: what it said gets the answer that it still waits for. */
  begin(): void {
    this.isAbandoned = false;
    if (this.answersNext || this.repeatsNext) this.answersNext = { ...(this.answersNext ?? NO_REQUEST), isKept: true };
    this.proceed();
  }

  /** The client is gone, until {@link begin}. */
  async abandon(): Promise<void> {
    this.isAbandoned = true;
    const asked = [this.pendingRequest, this.beginning && !this.beginning.isCancelled ? this.current : undefined];
    this.answersNext = asked.find((one) => one && !one.input && !one.isOutOfBand && !one.isUnasked) ?? this.answersNext;
    if (this.beginning) this.beginning.isCancelled = true;
    this.pendingRequest = undefined;
    this.messages = [];
    clearTimeout(this.idleTimer);
    this.interruptions.dismiss();
    await this.response?.abandon();
  }

  /** A person has the conversation: the avatar falls silent, unless it hands over with words of its own. */
  onTaken(): void {
    if (!this.response?.isHandingOver) this.response?.cancel('conversation_taken');
  }

  /** A message to be spoken, after what is being said. */
  onMessage(message: SpokenMessage): void {
    if (this.isAbandoned) return;
    this.messages = [...this.messages, message].slice(-MAX_MESSAGES);
    this.proceed();
  }

  /** The user was erased: nothing of the response in progress is said any more. */
  onErased(error: unknown): void {
    if (this.response) return this.response.erase(error);
    if (this.beginning && !this.beginning.isCancelled) this.cancel({});
    this.forget();
  }

  /** Starts a requested response as soon as nothing blocks it. */
  proceed(): void {
    if (this.isAbandoned || this.isAnswering || this.options.isTranscribing()) return;
    const message = this.messages.shift();
    if (message !== undefined) return void this.speakMessage(message);
    const { pendingRequest, answersNext } = this;
    if (!pendingRequest && !answersNext && (!this.repeatsNext || this.interruptions.isSpeaking)) return;
    const request = pendingRequest ?? answersNext ?? NO_REQUEST;
    this.pendingRequest = undefined;
    if (request.input || request.isOutOfBand) return void this.prompt(request);
    this.answersNext = undefined;
    this.repeatsNext = false;
    const { conversation, refuse } = this.options;
    const unanswered = conversation.unanswered;
    if (unanswered.length > 0) return void this.answer(unanswered, request);
    const calling = pendingRequest || request.isKept ? this.calls.next : undefined;
    if (calling) return void this.continue(calling, request);
    if (!pendingRequest) return;
    const isInstructed = pendingRequest.instructions !== undefined;
    const reachesModel = isInstructed && this.hasContext;
    if (!conversation.hasUserItems && !this.hasGreeted && !reachesModel) return void this.greet(pendingRequest);
    if (isInstructed) return void this.prompt(pendingRequest);
    refuse(new LiveError('nothing_to_answer', 'There is nothing new to answer.'), pendingRequest.event);
  }

  /** A turn had no words: clients that wait for a response to each turn get an empty one. */
  reportEmptyTurn(): void {
    if (this.isAbandoned || this.isAnswering || this.pendingRequest) return;
    if (!this.options.config().turn_detection?.create_response) return;
    for (const event of emptyResponse(this.frameOf(NO_REQUEST))) this.options.send(event);
  }

  private async answer(items: readonly Item[], request: ResponseRequest): Promise<void> {
    for (const item of items) item.answered = true;
    this.idlePrompts = 0;
    const asked = itemsToStore(items);
    const last = asked.at(-1)!.id;
    const before = [this.calls.words, textBefore(items, asked)].filter(Boolean).join(' ') || undefined;
    const said = {
      request: asked.map(storedText).join('\n'),
      // The engine gets all of what is stored only in part.
      ...(asked.some((item) => storedText(item) !== item.text)
        ? { whole: asked.map(({ text }) => text).join('\n') }
        : {}),
      ...(before === undefined ? {} : { before }),
      key: `live:${this.options.id}:${last}`,
    };
    const turn = { ...this.whom(), ...said };
    const response = await this.ask(request, {
      words: said.request,
      items: asked,
      open: async (asking) => {
        const reply = await this.options.parts.replies.answer({ ...turn, ...asking });
        for (const item of asked) item.storedWith = last;
        return reply;
      },
    });
    const isTaken = response?.wasCancelled('conversation_taken');
    if (!response || isTaken) this.options.upstream?.ignoreTurn?.();
    // What got no answer, or is not stored, may be answered on the next request.
    for (const item of items) {
      if (!response || (response.hasNoAnswer && !isTaken) || item.storedWith === undefined) item.answered = false;
      if (response?.isPremature) item.isContinued = true;
    }
    if (response?.isPremature && this.options.config().turn_detection?.create_response) this.repeatsNext = true;
    const isLost = response?.wasCancelled('client_gone');
    const goesOn = isLost || (response && !response.hasNoAnswer);
    if (goesOn && items.some(({ answered }) => !answered)) this.answersNext ??= isLost ? request : NO_REQUEST;
    this.proceed();
  }

  private async greet(request: ResponseRequest): Promise<void> {
    this.hasGreeted = true;
    const response = await this.respond(request, () =>
      this.unlessTaken(() => this.options.parts.replies.greeting(this.whom())),
    );
    if (!response || response.hasNoAnswer) this.hasGreeted = false;
    this.proceed();
  }

  /** Asks the avatar, though the user has said nothing new: only the answer is stored, if at all. */
  private async prompt(request: ResponseRequest): Promise<void> {
    const { parts, participants } = this.options;
    const asked = (request.input ?? []).filter(({ role, isSeeded }) => role === 'user' && !isSeeded);
    const words = asked.map(({ text }) => text);
    const said = { request: words.join('\n'), isStored: !request.isOutOfBand, usedBy: usedByOf(parts, participants()) };
    await this.ask(request, {
      open: (asking) => this.unlessTaken(() => parts.replies.prompt({ ...this.whom(), ...said, ...asking })),
    });
    this.proceed();
  }

  /** Speaks a message that is stored already; the response names it. */
  private async speakMessage({ message_id, text }: SpokenMessage): Promise<void> {
    const response = await this.respond({ ...UNASKED, metadata: { message_id } }, async () =>
      this.options.parts.replies.message(this.whom(), text),
    );
    if (response) this.options.conversation.setMessage([response.item], message_id);
    this.proceed();
  }

  private async unlessTaken(open: () => Reply | Promise<Reply>): Promise<Reply> {
    const { owner, resolved } = this.options.participants();
    return (await this.options.parts.people.hasTaken(owner, resolved.project)) ? TAKEN : open();
  }

  /** Asks the model again that has called functions of the client. */
  private async continue(turn: CallingTurn, request: ResponseRequest): Promise<void> {
    const response = await this.ask(request, turn, true);
    if (response?.hasNoAnswer && response.wasCancelled('client_gone')) this.answersNext ??= request;
    this.proceed();
  }

  /** Asks an engine. @param isAgain whether the model learns what its calls came to */
  private async ask(request: ResponseRequest, turn: CallingTurn, isAgain = false): Promise<LiveResponse | undefined> {
    const attempt = this.calls.begin(turn, this.askingOf(request, isAgain), !request.isOutOfBand);
    const response = await this.respond(request, async () => turn.open(attempt.asking), attempt.items);
    attempt.settle(response);
    if (response?.hasStored) this.options.conversation.setMessage(turn.items ?? [], response.item.id);
    return response;
  }

  /** What the client tells the model, if it may. */
  private askingOf({ instructions, input, ...request }: ResponseRequest, isAgain: boolean): Asking {
    const told = input ?? this.options.conversation.all;
    const images = told.flatMap((item: Partial<Item>) =>
      item.isSeeded && !this.hasContext ? [] : (item.images ?? []),
    );
    const seen = images.length > 0 ? { images } : {};
    const common = { ...seen, deleted: this.options.conversation.deleted };
    if (!this.hasContext) return common;
    const config = this.options.config();
    const client = clientContext(told, instructions ?? config.instructions);
    // A model that must call something would never get to its answer.
    const standing = isAgain && config.tool_choice !== 'none' ? 'auto' : config.tool_choice;
    const choice = request.tool_choice ?? standing;
    const onCalls = () => undefined;
    return { ...common, client, caller: { functions: request.tools ?? config.tools, choice, onCalls } };
  }

  /** Whether what the client says reaches a model. */
  private get hasContext(): boolean {
    return this.options.participants().resolved.project.settings.clientContext;
  }

  private forget(): void {
    this.calls.forget();
    this.options.forget();
  }

  private whom() {
    const { owner, holders, resolved, avatar, session } = this.options.participants();
    const { chat_type, language_code } = this.options.config();
    return { owner, holders, resolved, avatar, chat_type, language_code, ...(session !== undefined && { session }) };
  }

  private frameOf({ modality, format, metadata, isOutOfBand, max_output_tokens }: ResponseRequest): ResponseFrame {
    const config = this.options.config();
    return {
      modality: modality ?? config.output_modality,
      // That of a call is negotiated elsewhere.
      format: (!this.options.participants().isCall && format) || config.output_format,
      metadata,
      conversation_id: isOutOfBand ? null : this.options.conversation.id,
      max_output_tokens: max_output_tokens ?? config.max_output_tokens,
    };
  }

  /** @returns the response when it has ended; undefined if it exceeded the rate limit, or was cancelled before it started */
  private async respond(
    request: ResponseRequest,
    open: () => Promise<Reply>,
    calls?: CallingAttempt['items'],
  ): Promise<LiveResponse | undefined> {
    const { parts } = this.options;
    const { owner, address } = this.options.participants();
    const beginning = (this.beginning = { isCancelled: false });
    this.current = request;
    clearTimeout(this.idleTimer);
    try {
      await parts.counts.count(owner, address);
    } catch (error) {
      if (!beginning.isCancelled) this.options.refuse(error, request.event);
      return undefined;
    } finally {
      this.beginning = undefined;
    }
    if (beginning.isCancelled) return undefined;
    const response = (this.response = this.createResponse(request, { open, ...(calls ? { calls } : {}) }));
    this.interruptions.consider();
    const status = await response.ended;
    parts.metrics.responses.inc({ status });
    this.interruptions.dismiss();
    this.response = undefined;
    if (response.isGone) this.forget();
    this.awaitUser(response.playbackLeftMs);
    return response;
  }

  private createResponse(request: ResponseRequest, source: Pick<ResponseOptions, 'open' | 'calls'>): LiveResponse {
    const { parts, conversation, times, upstream, plays, send } = this.options;
    const { resolved, avatar, holders, isCall } = this.options.participants();
    const { hasVisemes, hasWords, language_code } = this.options.config();
    const usedBy = usedByOf(parts, this.options.participants());
    const frame = this.frameOf(request);
    const limit = parts.engines.isScripted(avatar.engine) ? 'inf' : frame.max_output_tokens;
    const response: LiveResponse = new LiveResponse({
      host: parts.host,
      conversation: request.isOutOfBand ? undefined : conversation,
      frame,
      hasVisemes,
      hasWords,
      isCall,
      ...source,
      say: async function* (reply, item, signal) {
        const speaks = upstream && (item.spoken || !upstream.isVoice);
        const sentences = () =>
          new SentenceSource(
            limitedPieces(reply.pieces(), limit, () => response.limitOutput()),
            language_code,
          );
        if (speaks && !(await reply.isCareful?.())) return yield* upstream.say(reply, item, signal, request, sentences);
        upstream?.ignoreTurn?.();
        let characters = 0;
        const speak = async (text: string) => {
          characters += spokenText(text).length;
          if (!item.spoken || characters > SPOKEN_LIMIT) return undefined;
          const said = { text, language_code, voice: avatar.voice, signal, holders };
          const sound = await parts.speech.sound(resolved.project.speech, said);
          if (sound) parts.usage.count(usedBy, { seconds_spoken: sound.samples.length / LIVE_RATE });
          return sound;
        };
        yield* spokenSentences(sentences(), speak, () => times.reached('sentence'), signal);
      },
      truncated: (item, at) => upstream?.truncated(item, at),
      send: (event) => send(event),
      sounds: () => times.reached('sound'),
      plays,
    });
    return response;
  }

  /** If the client wants it, the avatar speaks again after a silence of the user. */
  private awaitUser(playbackLeftMs: number): void {
    const idleMs = this.options.config().turn_detection?.idle_timeout_ms;
    if (idleMs === undefined || this.isAbandoned || this.idlePrompts >= MAX_IDLE_PROMPTS) return;
    const audio_start_ms = this.options.position();
    this.idleTimer = setTimeout(() => {
      if (this.isAnswering || this.interruptions.isSpeaking || this.options.isTranscribing()) return;
      this.idlePrompts++;
      const audio_end_ms = this.options.position();
      const item_id = newItemId();
      this.options.send({ type: 'input_audio_buffer.timeout_triggered', audio_start_ms, audio_end_ms, item_id });
      void this.prompt(UNASKED);
    }, idleMs + playbackLeftMs).unref();
  }
}
