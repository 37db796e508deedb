import {
  type FinalTranscript,
  type TranscriptionEvent,
  type TranscriptionStream,
  type TranscriptionOptions,
  EchoFilter,
  LIVE_RATE,
} from 'avatar-chat-media';
import { type AudioFormat, AudioDecoder } from './audio.formats.js';
import { newItemId } from '../session/conversation.js';
import type { Interruptions } from './interruptions.js';
import type { ServerEvent } from '../live.connection.js';
import { LiveError } from '../live.error.js';
import type { SessionConfig } from '../session/session.config.js';

/** How long complete turns are still transcribed when recognition has stopped, in milliseconds. */
const LATE_MS = 20_000;

export interface LiveInputOptions {
  /** @returns undefined if speech in that language cannot be recognized */
  listen(
    options: TranscriptionOptions,
    hear: (heard: TranscriptionEvent) => void,
  ): Promise<TranscriptionStream | undefined>;
  /** Whether recognition that has stopped may go on with turns that are complete. */
  readonly transcribesLate: boolean;
  send(event: ServerEvent): void;
  /** Follows what the user says. */
  readonly interruptions: Pick<Interruptions, 'started' | 'paused' | 'resumed' | 'partial'>;
  /** Speech stops. @param isTranscribed whether its transcript follows */
  onSilence(isTranscribed: boolean): void;
  /** A turn is complete: its item is added to the conversation. @param silence_ms since the end of its speech */
  onTurn(item_id: string, silence_ms: number): void;
  /** Audio went to speech recognition. */
  onHeard(seconds: number): void;
  /** @param sendRest to be called if it counts as a turn */
  onWords(item_id: string, words: FinalTranscript, seconds: number, sendRest: () => void): void;
}

/** An utterance and what is known of it. */
interface HeardItem {
  readonly id: string;
  /** What the client got of its transcript. */
  sent: string;
  /** Where it starts, in milliseconds. */
  start?: number;
  seconds: number;
}

/** The input of a session: turns audio chunks into turns with transcripts. */
export class LiveInput {
  private stream?: TranscriptionStream;
  readonly echo = new EchoFilter();
  private decoder: AudioDecoder;
  private format: AudioFormat;
  private items = new Map<number, HeardItem>();
  /** Complete turns of recognition that has stopped, and what gives them up. */
  private readonly late = new Map<ReadonlyMap<number, HeardItem>, () => void>();
  /** Samples received since the session started, and at the start of recognition. */
  private received = 0;
  private base = 0;
  /** Samples that were reported as heard. */
  private reported = 0;
  private sinceCommit = 0;
  private commits = 0;
  private committedMs = 0;
  private readonly transcribing = new Set<string>();
  private generation = 0;

  constructor(
    private config: SessionConfig,
    private readonly options: LiveInputOptions,
  ) {
    this.format = config.input_format;
    this.decoder = new AudioDecoder(this.format);
  }

  /** Whether speech can be recognized. */
  get canTranscribe(): boolean {
    return this.stream !== undefined;
  }

  /** Milliseconds of audio since the session started. */
  get receivedMs(): number {
    return Math.round((this.received * 1000) / LIVE_RATE);
  }

  /** Whether the transcript of a complete turn is pending. */
  get isTranscribing(): boolean {
    return this.commits > 0 || this.transcribing.size > 0;
  }

  /** Starts recognition, or restarts it with another configuration. */
  async configure(config: SessionConfig): Promise<void> {
    const hasLanguageChanged = config.language_code !== this.config.language_code;
    this.config = config;
    if (config.input_format.type !== this.format.type) {
      this.format = config.input_format;
      this.decoder = new AudioDecoder(this.format);
    }
    if (this.stream && !hasLanguageChanged) return this.stream.configure(this.transcriptionOptions());
    this.close();
    await this.listen();
  }

  /** Starts recognition for a connection. */
  async open(): Promise<void> {
    this.emptyBuffer();
    await this.listen();
  }

  private async listen(): Promise<void> {
    const generation = ++this.generation;
    this.base = this.received;
    const items = (this.items = new Map<number, HeardItem>());
    const stream = await this.options.listen(this.transcriptionOptions(), (heard) => {
      if (generation === this.generation) this.handle(heard);
      else if (heard.event === 'final' && this.late.has(items)) this.finish(items, heard.utterance, heard);
    });
    const replaced = generation === this.generation ? this.stream : stream;
    if (generation === this.generation) this.stream = stream;
    replaced?.close();
  }

  /** Takes audio in the session's format. @returns its length in milliseconds */
  push(bytes: Buffer): number {
    const samples = this.echo.clean(this.decoder.decode(bytes));
    this.received += samples.length;
    this.sinceCommit += samples.length;
    this.stream?.push(samples);
    return (samples.length * 1000) / LIVE_RATE;
  }

  /** @throws LiveError if there is no speech recognition */
  commit(): void {
    const hasAudio = this.sinceCommit > 0;
    if (hasAudio && !this.stream)
      throw new LiveError('transcription_unavailable', 'This session has no speech recognition.');
    this.committedMs = (this.sinceCommit * 1000) / LIVE_RATE;
    this.emptyBuffer();
    // Set before the stream is called, since it may report synchronously.
    this.commits++;
    if (hasAudio && this.stream?.commit()) return;
    this.commits--;
    throw new LiveError('input_audio_buffer_commit_empty', 'There is no audio to commit.');
  }

  /** Discards audio that is not part of a turn yet. */
  clear(): void {
    this.emptyBuffer();
    this.stream?.clear();
    this.options.onSilence(false);
  }

  /** Stops recognition. What is no complete turn is lost. */
  close(): void {
    this.reportHeard();
    this.generation++;
    const { stream, items } = this;
    this.stream = undefined;
    this.items = new Map();
    this.commits = 0;
    for (const [utterance, { id }] of items) if (!this.transcribing.has(id)) items.delete(utterance);
    const giveUp = () => {
      clearTimeout(timer);
      this.late.delete(items);
      stream?.close();
      // Cleared before it is reported, since waiting responses then proceed.
      for (const { id } of items.values()) this.transcribing.delete(id);
      for (const { id } of items.values()) this.options.onWords(id, { text: undefined }, 0, () => undefined);
    };
    const timer = setTimeout(giveUp, LATE_MS).unref();
    this.late.set(items, giveUp);
    this.options.onSilence(false);
    if (items.size > 0 && this.options.transcribesLate) stream?.clear();
    else giveUp();
  }

  /** Loses what is still to be transcribed since recognition stopped. */
  giveUp(): void {
    for (const giveUp of this.late.values()) giveUp();
  }

  private reportHeard(): void {
    if (this.stream && this.received > this.reported) this.options.onHeard((this.received - this.reported) / LIVE_RATE);
    this.reported = this.received;
  }

  /** The next audio starts with a whole sample. */
  private emptyBuffer(): void {
    this.sinceCommit = 0;
    this.decoder = new AudioDecoder(this.format);
  }

  private transcriptionOptions(): TranscriptionOptions {
    const { language_code, turn_detection } = this.config;
    return { language_code, ...(turn_detection ? { detection: turn_detection } : {}) };
  }

  private handle(heard: TranscriptionEvent): void {
    // What the avatar said is nobody's turn.
    if (heard.event === 'started' && this.echo.findEcho((this.position(heard.at) * LIVE_RATE) / 1000))
      return this.stream?.clear();
    const item = this.itemOf(heard.utterance);
    const position = 'at' in heard ? this.position(heard.at) : 0;
    switch (heard.event) {
      case 'started':
        item.start = heard.at;
        this.options.send({ type: 'input_audio_buffer.speech_started', audio_start_ms: position, item_id: item.id });
        return this.options.interruptions.started(item.id);
      case 'paused':
        return this.options.interruptions.paused();
      case 'resumed':
        return this.options.interruptions.resumed();
      case 'partial':
        if (!this.options.interruptions.partial(item.id, heard.text)) return;
        // Clients add the pieces up, so what may turn out to be wrong is only for those that asked for it.
        if (heard.isCertain || this.config.hasInterimResults) this.sendWords(item, heard.text);
        return;
      case 'stopped': {
        if (this.commits > 0) this.commits--;
        this.reportHeard();
        item.seconds = (item.start === undefined ? this.committedMs : heard.at - item.start) / 1000;
        this.sinceCommit = 0;
        this.transcribing.add(item.id);
        this.options.onSilence(true);
        if (item.start !== undefined)
          this.options.send({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: position, item_id: item.id });
        const silence = this.config.turn_detection?.silence_duration_ms ?? 0;
        return this.options.onTurn(item.id, (this.received * 1000) / LIVE_RATE - position + silence);
      }
      case 'final':
        return this.finish(this.items, heard.utterance, heard);
    }
  }

  private finish(items: Map<number, HeardItem>, utterance: number, words: FinalTranscript): void {
    const item = items.get(utterance);
    if (!item) return;
    items.delete(utterance);
    this.transcribing.delete(item.id);
    if (items.size === 0) this.late.get(items)?.();
    this.options.onWords(item.id, words, item.seconds, () => this.sendWords(item, words.text!));
  }

  /** The transcript, as far as it continues what was sent. */
  private sendWords(item: { id: string; sent: string }, text: string): void {
    if (!text.startsWith(item.sent)) return;
    const delta = text.slice(item.sent.length);
    item.sent = text;
    const type = 'conversation.item.input_audio_transcription.delta';
    if (delta) this.options.send({ type, item_id: item.id, content_index: 0, delta });
  }

  private itemOf(utterance: number): HeardItem {
    let item = this.items.get(utterance);
    if (!item) this.items.set(utterance, (item = { id: newItemId(), sent: '', seconds: 0 }));
    return item;
  }

  /** Converts milliseconds since recognition started to milliseconds since the session started. */
  private position(at: number): number {
    return Math.max(0, Math.round((this.base * 1000) / LIVE_RATE + at));
  }
}
