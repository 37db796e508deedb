import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type FinalTranscript, LIVE_RATE, wavOf } from 'avatar-chat-media';
import { seesImages } from 'avatar-chat-models';
import { AudioDecoder, fromBase64, PCM } from '../input/audio.formats.js';
import { type ClientEvent, parseEvent } from './client.event.js';
import { Conversation, type Item } from './conversation.js';
import type { LiveConnection, ServerEvent } from '../live.connection.js';
import { errorEvent, LiveError, presentError, TRANSCRIPTION_FAILED } from '../live.error.js';
import { LiveInput } from '../input/live.input.js';
import { firstConfig, givenConfig, type SessionConfig, updatedConfig } from './session.config.js';
import { describeSession } from './session.description.js';
import { SessionItems } from './session.items.js';
import { type Owner, type Participants, usedByOf } from './participants.js';
import type { SessionPorts, Watched } from './session.ports.js';
import { StageTimes } from './stage.times.js';
import { TurnTaking } from './turn.taking.js';
import { upstreamFor, type VoiceUpstream } from '../upstream/upstreams.js';

/** Who may start a session, with which avatar, and until when. */
export interface Admission extends Participants {
  readonly language_code: string;
  /** Unix time in milliseconds. */
  readonly expires: number;
  /** The configuration in a client secret. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** Events that change nothing. */
const IDLE_EVENTS: ReadonlySet<unknown> = new Set(['conversation.item.retrieve', 'output_audio_buffer.clear']);
/** Created items that may wait for their transcripts, before the client's next one waits. */
const MAX_TRANSCRIPTS = 4;
/** Audio that counts as activity, in milliseconds: a byte now and then does not. */
const ACTIVE_AUDIO_MS = 1000;

export const newSessionId = () => `sess_${randomBytes(12).toString('base64url')}`;

/**
 * A conversation in real time: handles the client's events. A spoken turn:
 *
 * 1. {@link receive} passes audio to {@link LiveInput}, which pushes it to speech recognition, or to {@link Upstream}.
 * 2. The input reports speech to `Interruptions`, which pauses and cancels the response in progress. At the end of
 *    speech it calls `onTurn`, which adds the user's item without a text, then `onWords`, which sets the text or removes
 *    the item.
 * 3. `onWords`, and `response.create`, call `TurnTaking.proceed`. If nothing blocks it, it checks the rate limit and
 *    creates a `LiveResponse` for all unanswered items, or for a greeting.
 * 4. The response sends `response.created` and calls `LiveReplies`, which stores the user's words and returns a `Reply`.
 * 5. The response takes the reply's sentences with their audio from `TurnTaking` (`SentenceSource`), or from
 *    `Upstream.say`. At the first it calls `Reply.begin`, which stores the message, and adds the avatar's item; then it
 *    sends the audio at playback speed.
 * 6. At the end, or once it is cancelled, it calls `Reply.finish` with what was heard, or `Reply.withdraw`, then
 *    `Reply.leave`, and sends `response.done`. `TurnTaking` marks what was answered, and proceeds.
 *
 * Items are in the `Conversation`: the user's are created here and by {@link SessionItems}, the avatar's by
 * `LiveResponse`, which alone sets the status of a response. A `Reply` has a `TurnLimit` of its own; only the
 * `LiveResponse` holds it, and after its end keeps `Reply.truncate`. What cannot be stored is left to `LateWrites`.
 */
export class LiveSession {
  readonly id = newSessionId();
  private readonly conversation = new Conversation();
  private readonly items: SessionItems;
  private readonly times: StageTimes;
  private readonly input: LiveInput;
  private readonly turns: TurnTaking;
  /** The upstream server that hears and speaks for the avatar, if any. */
  private readonly upstream: VoiceUpstream | undefined;
  private config: SessionConfig;
  private connection?: LiveConnection;
  private detached: Promise<unknown> = Promise.resolve();
  private readonly watched: Watched;
  private unwatch = (): void => undefined;
  private unfollow = (): void => undefined;
  /** Whether a server that charges for it hears the user. */
  private readonly isHosted: boolean;
  /** Milliseconds of audio that have not been counted as activity yet. */
  private heardMs = 0;

  private canJudgeTurns = false;
  /** Of created items, one after the other, and those that are pending. */
  private transcripts: Promise<void> = Promise.resolve();
  private readonly untranscribed = new Set<Item>();
  private readonly transcriptions = new Set<AbortController>();

  constructor(
    private admission: Admission,
    private readonly parts: SessionPorts,
  ) {
    const { owner, resolved, language_code } = admission;
    this.watched = { owner, onGone: (error) => this.turns.onErased(error) };
    this.config = this.ofCall(givenConfig(firstConfig(resolved, language_code), admission.given, resolved));
    this.times = new StageTimes(parts.metrics);
    const { conversation } = this;
    const shared = { parts, conversation, participants: () => this.admission, config: () => this.config };
    const send = (event: ServerEvent) => this.send(event);
    const refuse = (error: unknown, event: ClientEvent = {}) => this.refuse(error, event);
    const upstream = (this.upstream = upstreamFor(admission.avatar, { ...shared, refuse }));
    this.isHosted = upstream !== undefined || parts.speech.isHosted(resolved.project.speech);
    this.items = new SessionItems(this.conversation, upstream, send);
    this.turns = new TurnTaking({
      ...shared,
      id: this.id,
      upstream,
      times: this.times,
      isTranscribing: () => this.isTranscribing,
      position: () => this.input.receivedMs,
      // A hosted server hears all of it, and decides itself.
      plays: (...sent) => upstream || this.input.echo.play(...sent),
      send,
      refuse,
      forget: () => this.forget(),
    });
    this.input = new LiveInput(this.config, {
      listen: async (options, hear) =>
        upstream
          ? upstream.listen(hear)
          : parts.speech.listen(resolved.project.speech, { ...options, holders: this.holders }, hear),
      transcribesLate: !upstream,
      send,
      interruptions: this.turns.interruptions,
      onSilence: (isTranscribed) => this.turns.onSilence(isTranscribed),
      onTurn: (item_id, silence_ms) => this.onTurn(item_id, silence_ms),
      onHeard: (seconds_heard) => parts.usage.count(usedByOf(parts, this.admission), { seconds_heard }),
      onWords: (...words) => this.onWords(...words),
    });
  }

  get owner(): Owner {
    return this.admission.owner;
  }

  get holders(): readonly string[] {
    return this.admission.holders;
  }

  get avatar_id(): string {
    return this.admission.avatar._id;
  }

  /** Whether a response is in progress or about to start. */
  get isBusy(): boolean {
    return this.turns.isAnswering || this.isTranscribing;
  }

  private get isTranscribing(): boolean {
    return this.input.isTranscribing || this.untranscribed.size > 0;
  }

  /** Starts, or resumes after a lost connection. @param admission of the client that resumes it */
  async attach(connection: LiveConnection, admission?: Admission): Promise<void> {
    await this.detached;
    if (!connection.isOpen) return;
    this.connection = connection;
    const { resolved, avatar } = this.admission;
    const { language_code } = this.config;
    if (!this.upstream)
      this.parts.speech.prepare(resolved.project.speech, { language_code, voice: avatar.voice }, true);
    if (admission) this.admission = admission;
    await this.input.open();
    this.canJudgeTurns = !this.upstream && (await this.parts.speech.canJudgeTurns());
    if (this.connection !== connection) return;
    this.send({ type: 'session.created', session: this.describe(), ...(admission ? { resumed: true } : {}) });
    this.unwatch();
    this.unwatch = this.parts.erasures.watch(this.watched);
    await this.parts.erasures.check(this.watched);
    if (this.connection !== connection) return;
    this.unfollow();
    this.unfollow = this.parts.people.follow(this.owner, this.turns);
    this.turns.begin();
    if (this.upstream) await this.upstream.open();
    else void this.parts.engines.prepare(avatar.engine, language_code, this.owner.project_id, avatar._id);
  }

  /** The connection was lost: what was not heard is discarded. Until {@link dispose}, complete turns are transcribed. */
  async detach(): Promise<void> {
    this.connection = undefined;
    this.unfollow();
    const stored = this.turns.abandon().finally(() => this.upstream?.close());
    this.detached = stored.catch(() => undefined);
    this.input.close();
    await stored;
  }

  /** It has ended, and is not resumed: nothing is transcribed any more. */
  dispose(): void {
    this.unwatch();
    this.stopTranscribing();
  }

  send(event: ServerEvent): void {
    this.connection?.send(event);
  }

  /**
   * Handles a message of the client: an event as JSON, or audio. Ignores messages of a lost connection. Never rejects.
   *
   * @returns whether it keeps the session open: not if it was refused or changed nothing, nor a trickle of audio
   */
  async receive(connection: LiveConnection, message: string | Buffer): Promise<boolean> {
    if (this.connection !== connection) return false;
    let event: ClientEvent = {};
    try {
      if (typeof message !== 'string') return await this.hear(message);
      event = parseEvent(message);
      if (event.type === 'input_audio_buffer.append') return await this.hear(audioOf(event));
      await this.handle(event);
      return !IDLE_EVENTS.has(event.type);
    } catch (error) {
      this.refuse(error, event);
      return false;
    }
  }

  /** Audio for a server that charges for it is taken at about the speed at which it is spoken. */
  private async hear(bytes: Buffer): Promise<boolean> {
    const ms = this.input.push(bytes);
    this.heardMs += ms;
    const wait = this.isHosted ? this.parts.allowances.hostedAudio.spend(this.holders, ms) : 0;
    if (wait > 0) await delay(wait);
    if (this.heardMs < ACTIVE_AUDIO_MS) return false;
    this.heardMs = 0;
    return true;
  }

  private async handle(event: ClientEvent): Promise<void> {
    switch (event.type) {
      case 'input_audio_buffer.commit':
        if (this.isHosted) await this.parts.counts.count(this.owner, this.admission.address);
        return this.input.commit();
      case 'input_audio_buffer.clear':
        this.input.clear();
        return this.send({ type: 'input_audio_buffer.cleared' });
      case 'session.update':
        return this.update(event);
      case 'conversation.item.create':
        return this.createItem(event);
      case 'conversation.item.retrieve':
        return this.items.retrieve(event);
      case 'conversation.item.delete':
        return this.items.delete(event);
      case 'conversation.item.truncate':
        return this.items.truncate(event);
      case 'response.create':
        return this.turns.requestResponse(event);
      case 'response.cancel':
        return this.turns.cancel(event);
      case 'output_audio_buffer.clear':
        // Clients that play the audio themselves have cleared it.
        return this.admission.isCall ? this.turns.silence() : undefined;
      default:
        throw new LiveError('unknown_event', 'This type of event is not known.');
    }
  }

  private async update({ session }: ClientEvent): Promise<void> {
    this.config = this.ofCall(updatedConfig(this.config, session, this.admission.resolved));
    await this.input.configure(this.config);
    this.upstream?.configure();
    this.send({ type: 'session.updated', session: this.describe() });
    this.turns.proceed();
  }

  /** The format of a call's audio is negotiated elsewhere. */
  private ofCall(config: SessionConfig): SessionConfig {
    return this.admission.isCall ? { ...config, input_format: PCM, output_format: PCM } : config;
  }

  private onTurn(item_id: string, silence_ms: number): void {
    this.times.turnEnded(silence_ms);
    this.send({ type: 'input_audio_buffer.committed', previous_item_id: this.conversation.lastId, item_id });
    const upstream = this.upstream?.heard;
    const heard = { id: item_id, role: 'user', status: 'completed', text: null, spoken: true } as const;
    this.items.add({ ...heard, ...(upstream && { upstream }) });
  }

  private onWords(item_id: string, { text, language }: FinalTranscript, seconds: number, sendRest: () => void): void {
    this.times.transcribed();
    // It may be gone, such as with its user.
    const isThere = this.conversation.find(item_id) !== undefined;
    if (this.turns.onTranscript(item_id, isThere ? text : undefined)) {
      sendRest();
      this.setTranscript(item_id, text!, seconds, language);
    } else if (isThere) this.removeUnheard(item_id, text === undefined);
    this.turns.proceed();
  }

  /** Adds an item; spoken ones are transcribed like a turn, while further events are handled. */
  private async createItem(event: ClientEvent): Promise<void> {
    const { added, audio } = this.items.create(event, seesImages(this.admission.avatar.engine));
    if (!audio) return;
    const samples = new AudioDecoder(this.config.input_format).decode(audio);
    const earlier = this.transcripts;
    this.untranscribed.add(added);
    this.transcripts = earlier
      .then(() => this.transcribe(added, samples, event))
      .finally(() => this.untranscribed.delete(added))
      .then(() => this.turns.proceed());
    if (this.untranscribed.size > MAX_TRANSCRIPTS) await earlier;
  }

  private async transcribe(added: Item, samples: Int16Array, event: ClientEvent): Promise<void> {
    const isDeleted = () => !this.conversation.find(added.id);
    if (isDeleted()) return;
    const { resolved, address, holders, owner } = this.admission;
    const { speech, settings } = resolved.project;
    const seconds = samples.length / LIVE_RATE;
    const transcription = new AbortController();
    this.transcriptions.add(transcription);
    const timer = setTimeout(() => transcription.abort(), settings.messageTimeoutSeconds * 1000).unref();
    let [text, language]: (string | undefined)[] = [];
    let hasFailed = false;
    try {
      if (this.isHosted) {
        await this.parts.counts.count(owner, address);
        await delay(this.parts.allowances.hostedAudio.spend(holders, seconds * 1000));
      }
      text = await this.parts.speech.transcribe(speech, {
        audio: Readable.from([wavOf(samples, LIVE_RATE)]),
        content_type: 'audio/wav',
        language_code: this.config.language_code,
        holders,
        onHeard: (seconds_heard, heard) => {
          language = heard;
          this.parts.usage.count(usedByOf(this.parts, this.admission), { seconds_heard });
        },
        signal: transcription.signal,
      });
    } catch (error) {
      hasFailed = true;
      if (this.parts.host.isForClients(error)) this.refuse(error, event);
    } finally {
      clearTimeout(timer);
      this.transcriptions.delete(transcription);
    }
    if (isDeleted()) return;
    if (text) this.setTranscript(added.id, text, seconds, language);
    else this.removeUnheard(added.id, hasFailed);
  }

  private setTranscript(item_id: string, transcript: string, seconds: number, language?: string): void {
    const item = this.conversation.find(item_id);
    if (item) item.text = transcript;
    this.sendTranscription('completed', item_id, { transcript, language, usage: { type: 'duration', seconds } });
  }

  /** Removes an item without words. */
  private removeUnheard(item_id: string, hasFailed: boolean): void {
    if (hasFailed) this.sendTranscription('failed', item_id, { error: presentError(TRANSCRIPTION_FAILED) });
    this.items.remove(item_id);
    this.turns.reportEmptyTurn();
  }

  private sendTranscription(outcome: 'completed' | 'failed', item_id: string, more: Record<string, unknown>): void {
    const type = `conversation.item.input_audio_transcription.${outcome}`;
    this.send({ type, item_id, content_index: 0, ...more });
  }

  /** The user was erased: a new conversation begins. */
  private forget(): void {
    this.watched.fence = undefined;
    this.items.clear();
    if (this.upstream) return this.upstream.close(true);
    this.input.close();
    this.stopTranscribing();
    if (this.connection) void this.input.open().catch(() => undefined);
  }

  private stopTranscribing(): void {
    for (const transcription of this.transcriptions) transcription.abort();
    this.input.giveUp();
  }

  private refuse(error: unknown, { event_id }: ClientEvent): void {
    this.send(errorEvent(this.parts.host.asLiveError(error), event_id));
  }

  private describe(): Record<string, unknown> {
    const can = { hear: this.input.canTranscribe, judgeTurns: this.canJudgeTurns };
    return describeSession(this.id, this.admission, this.config, can);
  }
}

function audioOf({ audio }: ClientEvent): Buffer {
  const bytes = typeof audio === 'string' ? fromBase64(audio) : undefined;
  if (!bytes) throw new LiveError('invalid_value', 'audio must be base64.');
  return bytes;
}
