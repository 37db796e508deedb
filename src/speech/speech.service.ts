import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { EspeakSpeaker } from './espeak.speaker.js';
import { OpenAiSpeaker } from './openai.speaker.js';
import { OpenAiTranscriber } from './openai.transcriber.js';
import { Speaker, type SpeakRequest, type Speech, type SpeechEntry } from './speaker.js';
import { SpeechError } from './speech.error.js';
import { Transcriber, type TranscribeRequest } from './transcriber.js';

/** A project's `speech` in the catalogue. The kind `none` turns one off. */
export interface SpeechSettings {
  /** Who says the answers of voice and video turns; left out: `{"kind":"espeak"}`. */
  readonly speaker?: SpeechEntry;
  /** Who writes down recordings that come without their words; left out: nobody. */
  readonly transcriber?: SpeechEntry;
}

const NONE = 'none';
const DEFAULT_SPEAKER: SpeechEntry = { kind: 'espeak' };

/** Speaks and listens as a project's settings say, by the shipped kinds and those that other modules bring. */
@Injectable()
export class SpeechService implements OnModuleInit {
  private readonly logger = new Logger(SpeechService.name);
  private speakers: ReadonlyMap<string, Speaker> = new Map();
  private transcribers: ReadonlyMap<string, Transcriber> = new Map();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly espeak: EspeakSpeaker,
    private readonly openAiSpeaker: OpenAiSpeaker,
    private readonly openAiTranscriber: OpenAiTranscriber,
  ) {}

  /** @internal Not in the constructor, where those of other modules may not exist yet. */
  onModuleInit(): void {
    const all = new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown));
    this.speakers = byKind('speaker', [this.espeak, this.openAiSpeaker], all, Speaker);
    this.transcribers = byKind('transcriber', [this.openAiTranscriber], all, Transcriber);
  }

  /** The faults of a project's settings, each starting with its place: `speaker.model: must be …`. */
  validate({ speaker, transcriber }: SpeechSettings): string[] {
    return [...faultsOf('speaker', speaker, this.speakers), ...faultsOf('transcriber', transcriber, this.transcribers)];
  }

  /**
   * An answer as speech. It never fails, for an answer without sound is still an answer: what went wrong is in the log.
   *
   * @returns undefined where there is none
   */
  async speak(settings: SpeechSettings = {}, request: Omit<SpeakRequest, 'entry'>): Promise<Speech | undefined> {
    const { speaker: entry = DEFAULT_SPEAKER } = settings;
    if (entry.kind === NONE) return undefined;
    try {
      return await known(this.speakers, entry).speak({ ...request, entry });
    } catch (error) {
      if (!request.signal.aborted) this.logger.warn(`An answer was not spoken: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /**
   * What is said in a recording, which is read to its end or destroyed.
   *
   * @returns undefined where the project has no transcriber, or there are no words in it
   * @throws SpeechError where it could not be found out
   */
  async transcribe(
    settings: SpeechSettings = {},
    request: Omit<TranscribeRequest, 'entry'>,
  ): Promise<string | undefined> {
    const { transcriber: entry } = settings;
    // The recording may be erased while it is read; a transcriber that does not listen for that must not end the process.
    request.audio.on('error', () => undefined);
    try {
      if (!entry || entry.kind === NONE) return undefined;
      return await known(this.transcribers, entry).transcribe({ ...request, entry });
    } catch (error) {
      if (!request.signal.aborted) this.logger.warn(`A recording was not written down: ${reasonOf(error)}`);
      throw error instanceof SpeechError ? error : new SpeechError();
    } finally {
      request.audio.destroy();
    }
  }
}

/** One that a module brings takes the place of a shipped one of its kind. */
function byKind<T extends { kind: string }>(
  role: string,
  shipped: readonly T[],
  providers: ReadonlySet<unknown>,
  type: abstract new () => T,
): Map<string, T> {
  const brought = new Map<string, T>();
  for (const provider of providers) {
    if (!(provider instanceof type) || shipped.includes(provider)) continue;
    if (brought.has(provider.kind)) throw new Error(`Two providers are the ${role} '${provider.kind}'.`);
    brought.set(provider.kind, provider);
  }
  return new Map([...shipped.map((own) => [own.kind, own] as const), ...brought]);
}

function faultsOf(
  place: string,
  entry: SpeechEntry | undefined,
  kinds: ReadonlyMap<string, Speaker | Transcriber>,
): string[] {
  if (!entry) return [];
  const faults =
    entry.kind === NONE
      ? []
      : (kinds.get(entry.kind)?.validate(entry) ?? [
          `kind: must be one of ${[...kinds.keys(), NONE].sort().join(', ')}`,
        ]);
  return faults.map((fault) => `${place}.${fault}`);
}

function known<T>(kinds: ReadonlyMap<string, T>, { kind }: SpeechEntry): T {
  const found = kinds.get(kind);
  if (!found) throw new SpeechError('The project has a kind of speech that this service does not know.');
  return found;
}

/** Sentences of this service's own; of any other error only its kind, for it may quote what was said. */
function reasonOf(error: unknown): string {
  if (error instanceof SpeechError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
