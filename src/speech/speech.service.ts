import { Injectable } from '@nestjs/common';
import type { KindEntry } from 'avatar-chat-catalogue';
import type { KindRegistry, Replaceable } from '../platform/extension-points/index.js';
import {
  type TranscriptionEvent,
  type TranscriptionStream,
  type TranscriptionOptions,
  type SpeechSamples,
  decoded,
  SpeechError,
  type Speech,
} from 'avatar-chat-media';
import {
  InstalledSpeech,
  NoTranscriber,
  OfflineTranscriber,
  type Speaker,
  type SpeakRequest,
  type SpeechEntry,
  type Spoken,
  type TranscribeRequest,
  TranscriptionStreams,
  type VoiceSettings,
} from 'avatar-chat-models';
import { SpeakerRegistry, TranscriberRegistry } from './speech.registries.js';
import { loggerOf } from '../platform/logging/index.js';
import { INTERNAL, traced, untilAborted, withTimeout } from 'avatar-chat-runtime';

/** A project's `speech` in the catalogue. The kind `none` turns one off. */
export interface SpeechSettings {
  /** Speaker for the answers of voice and video turns; default: `{"kind":"espeak"}`, or an installed voice of the language. */
  readonly speaker?: SpeechEntry;
  /** Transcriber for recordings without text; default: `{"kind":"moonshine"}`, or an installed model of the language. */
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
    private readonly installed: InstalledSpeech,
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
  prepare(settings: SpeechSettings = {}, request: Spoken, isLive = false): void {
    void this.speakerFor(settings, request)
      .then((speaker) => this.speakers.find(speaker.kind)?.prepare?.(speaker, isLive ? request : undefined))
      .catch(() => undefined);
  }

  /** Warms up a project's transcriber, without waiting for it: somebody is about to speak. */
  prepareToListen(settings: SpeechSettings = {}, language_code: string): void {
    void this.transcriberFor(settings, language_code)
      .then((transcriber) => this.transcribers.find(transcriber.kind)?.prepare?.(transcriber, language_code))
      .catch(() => undefined);
  }

  /** What a project that leaves the choice to the service lacks in a language. @param genders of its avatars */
  async lacks(
    settings: SpeechSettings = {},
    language_code: string,
    genders: readonly VoiceSettings['gender'][],
  ): Promise<string[]> {
    const voices = settings.speaker ? [] : genders.map((gender) => this.installed.speakerFor(language_code, gender));
    const isSilent = (await Promise.all(voices)).includes(undefined);
    const isDeaf = !settings.transcriber && !(await this.installed.hasTranscriber(language_code));
    return [...(isDeaf ? ['recognition'] : []), ...(isSilent ? ['a natural voice'] : [])];
  }

  /** An installed voice, unless the project names a speaker. */
  private async speakerFor({ speaker }: SpeechSettings, { language_code, voice }: Spoken): Promise<SpeechEntry> {
    return speaker ?? (await this.installed.speakerFor(language_code, voice?.gender)) ?? DEFAULT_SPEAKER;
  }

  /** An installed model of the language, unless the project names a transcriber. */
  private async transcriberFor({ transcriber }: SpeechSettings, language_code: string): Promise<SpeechEntry> {
    return transcriber ?? (await this.installed.transcriberFor(language_code)) ?? DEFAULT_TRANSCRIBER;
  }

  /**
   * Speaks an answer. Never fails, since an answer without audio is still an answer: errors are logged.
   *
   * @returns undefined if there is no audio
   */
  async speak(settings: SpeechSettings = {}, request: Omit<SpeakRequest, 'entry'>): Promise<Speech | undefined> {
    try {
      const entry = await this.speakerFor(settings, request);
      const speaker = known(this.speakers, entry);
      request.signal.throwIfAborted();
      return await spoken('speak', entry, () => untilAborted(speaker.speak({ ...request, entry }), request.signal));
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
    try {
      const entry = await this.speakerFor(settings, request);
      const speaker = known(this.speakers, entry);
      request.signal.throwIfAborted();
      const samples = spoken('speak', entry, () =>
        untilAborted(samplesOf(speaker, { ...request, entry }), request.signal),
      );
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
    // The recording may be erased while it is read; a transcriber without an error listener must not crash the process.
    request.audio.on('error', () => undefined);
    try {
      const entry = await this.transcriberFor(settings, request.language_code);
      const transcriber = known(this.transcribers, entry);
      request.signal.throwIfAborted();
      return await spoken('transcribe', entry, () =>
        untilAborted(transcriber.transcribe({ ...request, entry }), request.signal),
      );
    } catch (error) {
      if (!request.signal.aborted) this.logger.warn(`A recording was not transcribed: ${reasonOf(error)}`);
      throw error instanceof SpeechError ? error : new SpeechError();
    } finally {
      request.audio.destroy();
    }
  }

  /** Whether speech is transcribed by a server that may charge for it. */
  isHosted({ transcriber: { kind } = DEFAULT_TRANSCRIBER }: SpeechSettings = {}): boolean {
    const found = this.transcribers.find(kind);
    return found !== undefined && !(found instanceof OfflineTranscriber || found instanceof NoTranscriber);
  }

  /** Whether {@link listen} will have a stream, by what is installed. */
  async canListen(settings: SpeechSettings = {}, language_code: string): Promise<boolean> {
    const entry = await this.transcriberFor(settings, language_code);
    const transcriber = this.transcribers.find(entry.kind);
    if (!(transcriber instanceof OfflineTranscriber))
      return transcriber !== undefined && !(transcriber instanceof NoTranscriber);
    return (
      transcriber.understands(entry, language_code) && (await transcriber.modelOf(entry, language_code)) !== undefined
    );
  }

  /** Whether turns can end by their meaning: by what is installed. */
  canJudgeTurns(): Promise<boolean> {
    return this.streams.canJudge();
  }

  /**
   * Recognizes a speaker in real time.
   *
   * @param hear called for each event, never before this resolves
   * @returns undefined if the project has no usable transcriber for the language
   */
  async listen(
    settings: SpeechSettings = {},
    options: TranscriptionOptions & Pick<TranscribeRequest, 'holders'>,
    hear: (heard: TranscriptionEvent) => void,
  ): Promise<TranscriptionStream | undefined> {
    const entry = await this.transcriberFor(settings, options.language_code);
    const transcriber = this.transcribers.find(entry.kind);
    if (!transcriber || transcriber instanceof NoTranscriber) return undefined;
    if (transcriber instanceof OfflineTranscriber) return this.streams.openLocal(transcriber, entry, options, hear);
    return this.streams.openBuffered(
      (one) => this.transcribe(settings, { ...one, holders: options.holders }),
      options,
      hear,
    );
  }
}

/** In a span: how long speech takes, never what is said. */
function spoken<T>(name: string, { kind }: SpeechEntry, work: () => Promise<T>): Promise<T> {
  return traced(name, INTERNAL, { 'avatar_chat.speech': kind }, work);
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
