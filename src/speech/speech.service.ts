import { Injectable } from '@nestjs/common';
import type { KindEntry, KindRegistry, Replaceable } from '../platform/extension-points/index.js';
import {
  type TranscriptionEvent,
  type TranscriptionStream,
  type TranscriptionOptions,
  type SpeechSamples,
  decoded,
  SpeechError,
  untilAborted,
  withTimeout,
  type Speech,
} from 'avatar-chat-media';
import { TranscriptionStreams, OfflineTranscriber } from './recognition/index.js';
import type { Speaker, SpeakRequest, SpeechEntry } from './speaker.js';
import { NoTranscriber } from './speech.none.js';
import { SpeakerRegistry, TranscriberRegistry } from './speech.registries.js';
import type { TranscribeRequest } from './transcriber.js';
import { loggerOf } from '../platform/logging/index.js';

/** A project's `speech` in the catalogue. The kind `none` turns one off. */
export interface SpeechSettings {
  /** Speaker for the answers of voice and video turns; default: `{"kind":"espeak"}`. */
  readonly speaker?: SpeechEntry;
  /** Transcriber for recordings without text; default: `{"kind":"moonshine"}`, if its model is installed. */
  readonly transcriber?: SpeechEntry;
}

const DEFAULT_SPEAKER: SpeechEntry = { kind: 'espeak' };
const DEFAULT_TRANSCRIBER: SpeechEntry = { kind: 'moonshine' };

/** How long a sentence of a live answer may take, in milliseconds. */
const SENTENCE_LIMIT_MS = 30_000;

/** Speech synthesis and recognition by a project's settings, with the shipped kinds and those of modules, which may ignore their signals. */
@Injectable()
export class SpeechService {
  private readonly logger = loggerOf(SpeechService.name);

  constructor(
    private readonly speakers: SpeakerRegistry,
    private readonly transcribers: TranscriberRegistry,
    private readonly streams: TranscriptionStreams,
  ) {}

  /** The faults of a project's settings, each starting with its path: `speaker.model: must be …`. */
  validate({ speaker, transcriber }: SpeechSettings): string[] {
    return [
      ...(speaker ? this.speakers.validate(speaker) : []).map((fault) => `speaker.${fault}`),
      ...(transcriber ? this.transcribers.validate(transcriber) : []).map((fault) => `transcriber.${fault}`),
    ];
  }

  /**
   * Warms up a project's speaker, without waiting for it: an answer is about to be produced.
   *
   * @param isLive whether many answers will follow, the first as fast as all others
   */
  prepare({ speaker = DEFAULT_SPEAKER }: SpeechSettings = {}, isLive = false): void {
    this.speakers.find(speaker.kind)?.prepare?.(speaker, isLive);
  }

  /** Warms up a project's transcriber, without waiting for it: somebody is about to speak. */
  prepareToListen({ transcriber = DEFAULT_TRANSCRIBER }: SpeechSettings = {}, language_code: string): void {
    this.transcribers.find(transcriber.kind)?.prepare?.(transcriber, language_code);
  }

  /**
   * Speaks an answer. Never fails, since an answer without audio is still an answer: errors are logged.
   *
   * @returns undefined if there is no audio
   */
  async speak(settings: SpeechSettings = {}, request: Omit<SpeakRequest, 'entry'>): Promise<Speech | undefined> {
    const { speaker: entry = DEFAULT_SPEAKER } = settings;
    try {
      const speaker = known(this.speakers, entry);
      request.signal.throwIfAborted();
      return await untilAborted(speaker.speak({ ...request, entry }), request.signal);
    } catch (error) {
      if (!request.signal.aborted) this.logger.warn(`An answer was not spoken: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /**
   * Speaks a sentence as samples, for streaming playback. After half a minute it fails.
   *
   * @returns undefined if there is nothing to speak, no voice for the language, or the signal was aborted
   * @throws SpeechError if there should have been audio; the reason is logged
   */
  async sound(settings: SpeechSettings = {}, request: Omit<SpeakRequest, 'entry'>): Promise<SpeechSamples | undefined> {
    const { speaker: entry = DEFAULT_SPEAKER } = settings;
    try {
      const speaker = known(this.speakers, entry);
      request.signal.throwIfAborted();
      const samples = untilAborted(samplesOf(speaker, { ...request, entry }), request.signal);
      return await withTimeout(samples, SENTENCE_LIMIT_MS, () => new SpeechError('The speech took too long.'));
    } catch (error) {
      if (request.signal.aborted) return undefined;
      this.logger.warn(`A sentence was not spoken: ${reasonOf(error)}`);
      throw error instanceof SpeechError ? error : new SpeechError();
    }
  }

  /**
   * Transcribes a recording, which is read to its end or destroyed.
   *
   * @returns undefined if the project has no transcriber, or the recording has no words
   * @throws SpeechError if transcription failed
   */
  async transcribe(
    settings: SpeechSettings = {},
    request: Omit<TranscribeRequest, 'entry'>,
  ): Promise<string | undefined> {
    const { transcriber: entry = DEFAULT_TRANSCRIBER } = settings;
    // The recording may be erased while it is read; a transcriber without an error listener must not crash the process.
    request.audio.on('error', () => undefined);
    try {
      const transcriber = known(this.transcribers, entry);
      request.signal.throwIfAborted();
      return await untilAborted(transcriber.transcribe({ ...request, entry }), request.signal);
    } catch (error) {
      if (!request.signal.aborted) this.logger.warn(`A recording was not transcribed: ${reasonOf(error)}`);
      throw error instanceof SpeechError ? error : new SpeechError();
    } finally {
      request.audio.destroy();
    }
  }

  /** Whether speech is transcribed by a server that may charge for it. */
  isHosted({ transcriber: { kind } = DEFAULT_TRANSCRIBER }: SpeechSettings = {}): boolean {
    const transcriber = this.transcribers.find(kind);
    return (
      transcriber !== undefined && !(transcriber instanceof OfflineTranscriber || transcriber instanceof NoTranscriber)
    );
  }

  /** Whether {@link listen} will have a stream, by what is installed. */
  async canListen(
    { transcriber: entry = DEFAULT_TRANSCRIBER }: SpeechSettings = {},
    language_code: string,
  ): Promise<boolean> {
    const transcriber = this.transcribers.find(entry.kind);
    if (!(transcriber instanceof OfflineTranscriber))
      return transcriber !== undefined && !(transcriber instanceof NoTranscriber);
    return transcriber.understands(entry, language_code) && (await transcriber.modelOf(entry)) !== undefined;
  }

  /**
   * Recognizes a speaker in real time.
   *
   * @param hear called for each event, never before this resolves
   * @returns undefined if the project has no usable transcriber for the language
   */
  async listen(
    settings: SpeechSettings = {},
    options: TranscriptionOptions,
    hear: (heard: TranscriptionEvent) => void,
  ): Promise<TranscriptionStream | undefined> {
    const { transcriber: entry = DEFAULT_TRANSCRIBER } = settings;
    const transcriber = this.transcribers.find(entry.kind);
    if (!transcriber || transcriber instanceof NoTranscriber) return undefined;
    if (transcriber instanceof OfflineTranscriber) return this.streams.openLocal(transcriber, entry, options, hear);
    return this.streams.openBuffered((recording) => this.transcribe(settings, recording), options, hear);
  }
}

function known<T extends Replaceable>(parts: KindRegistry<T>, { kind }: KindEntry): T {
  const found = parts.find(kind);
  if (!found) throw new SpeechError('The project has a kind of speech that this service does not know.');
  return found;
}

async function samplesOf(speaker: Speaker, request: SpeakRequest): Promise<SpeechSamples | undefined> {
  if (speaker.sound) return speaker.sound(request);
  const speech = await speaker.speak(request);
  return speech && !request.signal.aborted ? decoded(speech, request.text) : undefined;
}

/** Messages of this service's own; for any other error only its type, since it may quote a user. */
function reasonOf(error: unknown): string {
  if (error instanceof SpeechError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
