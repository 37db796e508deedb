import { setTimeout as delay } from 'node:timers/promises';
import { LIVE_RATE, type TranscriptionEvent, type TranscriptionStream } from 'avatar-chat-media';
import { unlessAborted } from 'avatar-chat-runtime';
import { type DuplexEntry, type RealtimeConnection, type RealtimeEvent } from 'avatar-chat-models';
import { encodeAudio, PCM } from '../input/audio.formats.js';
import type { Utterance } from '../response/live.response.js';
import type { Reply } from '../response/reply.js';
import type { ResponseRequest } from '../response/response.request.js';
import type { SentenceSource } from '../response/sentence.source.js';
import type { Item } from '../session/conversation.js';
import { usedByOf } from '../session/participants.js';
import { DuplexInput } from './duplex.input.js';
import { DuplexOutput } from './duplex.output.js';
import { ServerLink, type UpstreamOptions } from './server.link.js';
import { UpstreamInput } from './upstream.input.js';
import { UpstreamOutput } from './upstream.output.js';

/** How long the server may be silent after a turn, in milliseconds, before the engine is asked though nothing was delegated. */
const GRACE_MS = 2000;
/** How long it may take to begin what it was told to say, and to pause within it; twice the first to end what nobody hears. */
const SILENT_MS = 8000;
const PAUSE_MS = 3000;
/** Maximum characters of an append: in any language, they are at most 500 tokens. */
const MAX_APPEND = 400;
/** How long the server speaks over the user, in milliseconds of audio without words, before their turn is over. */
const OVERLAP_MS = 400;
const MAX_ID = 128;

/** What the server was told of an answer: what it had said before, and when it got the last of it. */
interface Told {
  isAsked: boolean;
  isOver: boolean;
  characters: number;
  before: number;
  at: number;
}

/**
 * A full-duplex server that hears and speaks for an avatar, while the avatar's engine answers what it delegates, or leaves
 * without an answer. Turn-taking, storage and the client's events are handled here as for every avatar.
 */
export class DuplexUpstream extends ServerLink<RealtimeConnection> {
  readonly isVoice = true;
  readonly heard = undefined;
  private readonly input = new UpstreamInput();
  private readonly turns = new DuplexInput(this.input, () => this.options.config().turn_detection?.silence_duration_ms);
  private readonly output = new DuplexOutput(() => this.turns.endTurn(OVERLAP_MS));
  private language_code = '';
  /** What the server has delegated, until it gets an answer. */
  private delegation: string | null = null;

  constructor(
    private readonly entry: DuplexEntry,
    options: UpstreamOptions,
  ) {
    super(options);
  }

  override close(retries = false): void {
    this.server?.send({ type: 'session.close' });
    super.close(retries);
  }

  listen(hear: (heard: TranscriptionEvent) => void): TranscriptionStream {
    this.turns.reset();
    this.input.begin(hear);
    return {
      push: (samples) => this.push(samples),
      configure: () => undefined,
      commit: () => this.server !== undefined && this.turns.commit(),
      clear: () => this.turns.clear(),
      close: () => {
        this.turns.reset();
        this.input.reset();
      },
    };
  }

  /** Within a connection, the language cannot change. */
  configure(): void {
    if (this.server && this.options.config().language_code !== this.language_code) this.close(true);
  }

  /** The server cannot forget what it has heard. */
  forget(): void {
    if (this.server) this.close(true);
  }

  truncated(): void {}

  ignoreTurn(): void {
    this.output.muteSpeech();
  }

  /** @param sentences of the engine's answer; not read if the server answers by itself */
  async *say(
    reply: Reply,
    item: Item,
    signal: AbortSignal,
    _request: ResponseRequest,
    sentences: () => SentenceSource,
  ): AsyncGenerator<Utterance, void> {
    try {
      yield* new UpstreamOutput(this.answer(reply, signal, sentences), item.spoken, () => undefined).utterances();
    } catch (error) {
      if (!signal.aborted) this.report(error);
      throw this.presented(error);
    }
  }

  /** What the server says, while it is told the answer of the engine. */
  private async *answer(reply: Reply, signal: AbortSignal, sentences: () => SentenceSource) {
    const { output, options } = this;
    // Nothing cuts its speech but a new connection.
    if (output.isSpeaking && !this.mayAnswer(reply)) this.close(true);
    const server = await unlessAborted(this.connect(), signal);
    if (!server) return;
    const told: Told = { isAsked: false, isOver: false, characters: 0, before: 0, at: 0 };
    let samples = 0;
    const fail = (error: unknown) => signal.aborted || output.fail(error as Error);
    this.tellAnswer(server, told, reply, signal, sentences).catch(fail);
    try {
      for await (const part of output.read(() => told.isOver && this.isSaid(told), signal)) {
        if ('sound' in part) samples += part.sound.length / 2;
        yield part;
      }
      // The engine may have called a function of the client instead.
      const isEmpty = told.isAsked && told.characters === 0;
      if (samples === 0 && !isEmpty && !signal.aborted) throw new Error('Nothing was said');
    } finally {
      options.parts.usage.count(usedByOf(options.parts, options.participants()), {
        seconds_spoken: samples / LIVE_RATE,
      });
    }
  }

  private async tellAnswer(
    server: RealtimeConnection,
    told: Told,
    reply: Reply,
    signal: AbortSignal,
    sentences: () => SentenceSource,
  ): Promise<void> {
    told.isAsked = await this.isAsked(reply, signal);
    const source = told.isAsked ? sentences() : undefined;
    told.before = this.output.characters;
    for (let at = 0, text; (text = await source?.at(at)) !== undefined && !signal.aborted; at++) {
      this.append(server, text.trim());
      told.characters += text.length;
      told.at = performance.now();
    }
    if (!signal.aborted) this.delegation = null;
    told.isOver = true;
  }

  /** Whether the engine has to answer: not if the server has done so itself, without delegating anything. */
  private async isAsked(reply: Reply, signal: AbortSignal): Promise<boolean> {
    const { output } = this;
    const mayAnswer = this.mayAnswer(reply);
    if (!mayAnswer) output.muteSpeech();
    for (const since = performance.now(); !signal.aborted; await delay(50)) {
      if (output.isDropping && performance.now() - since >= 2 * SILENT_MS) throw new Error('The server does not stop');
      if (mayAnswer ? this.delegation !== null : !output.isDropping) return true;
      if (!output.isSpeaking && performance.now() - Math.max(since, output.at) >= GRACE_MS) return output.seconds === 0;
    }
    return false;
  }

  /** Whether the server may answer by itself: it has heard what is answered. */
  private mayAnswer({ cue, input }: Reply): boolean {
    const last = this.options.conversation.all.findLast(({ role }) => role === 'user');
    return cue === undefined && input === undefined && last?.spoken === true;
  }

  /** Whether the server has said what it was told. It uses words of its own, so nothing tells for sure. */
  private isSaid({ characters, before, at }: Told): boolean {
    if (this.output.isSpeaking) return false;
    const said = this.output.characters - before;
    const limit = said >= characters / 2 ? 0 : said > 0 ? PAUSE_MS : SILENT_MS;
    return performance.now() - Math.max(at, this.output.at) >= limit;
  }

  private append(server: RealtimeConnection, text: string): void {
    const ask = this.delegation === null ? 'Say this to the user now: ' : '';
    for (let from = 0; from < text.length; from += MAX_APPEND) {
      const content = ask + text.slice(from, from + MAX_APPEND);
      server.send({ type: 'session.commentary.append', delegation_id: this.delegation, content, event_id: 'answer' });
    }
  }

  private push(samples: Int16Array): void {
    this.reopen();
    const audio = encodeAudio(samples, PCM).toString('base64');
    this.server?.send({ type: 'session.input_audio.append', audio });
    this.input.push(samples);
    this.turns.push((samples.length * 1000) / LIVE_RATE);
  }

  protected async openServer(signal: AbortSignal): Promise<RealtimeConnection> {
    const { parts, config, participants } = this.options;
    this.language_code = config().language_code;
    const { live_model: model = 'gpt-live-1', voice } = this.entry;
    const instructions =
      `You are the voice of ${participants().avatar.name}. Speak the language ${this.language_code}. Delegate whatever the user ` +
      'asks or tells, silently, and wait for the result. Say each result once, completely, and add nothing of your own.';
    const audio = { format: PCM, ...(voice === undefined ? {} : { output: { voice } }) };
    const start = { model, instructions, audio, delegation: { type: 'client' } } as const;
    const onLost = () => {
      if (this.server !== opened) return;
      this.lose();
      this.report(new Error('The connection is lost'));
    };
    const opened = await parts.realtime.openLive(this.entry, start, {
      signal,
      onEvent: (event) => this.handleEvent(event),
      onLost,
    });
    this.server = opened;
    this.input.connected();
    return opened;
  }

  protected override lose(): void {
    super.lose();
    this.delegation = null;
    this.turns.reset();
    this.input.lose();
    this.output.fail(new Error('The connection is lost'));
    this.output.stop();
  }

  private handleEvent({ type, delta, start_ms, delegation, error }: RealtimeEvent): void {
    if (type === 'session.delegation.created') {
      const { id, target } = (delegation ?? {}) as { id?: unknown; target?: unknown };
      if (typeof id !== 'string' || id.length > MAX_ID || target !== 'client') return;
      this.delegation = id;
      this.output.keep(true);
      this.turns.endTurn();
    } else if (type === 'error') {
      const { client_event_id: id } = (error ?? {}) as { client_event_id?: unknown };
      if (id === 'answer') this.output.fail(new Error('The server sent an error'));
      else this.reportError();
    } else if (typeof delta !== 'string' || delta === '') return;
    else if (type === 'session.input_transcript.delta') {
      this.output.hearUser();
      this.turns.takeWords(delta, start_ms);
    } else if (type === 'session.output_transcript.delta') this.output.text(delta);
    else if (type === 'session.output_audio.delta') this.output.sound(delta);
  }
}
