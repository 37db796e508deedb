import { Injectable, Logger } from '@nestjs/common';
import type { KindEntry, KindRegistry, Replaceable } from '../platform/kinds/index.js';
import type { SpeakRequest, Speech, SpeechEntry } from './speaker.js';
import { SpeechError } from './speech.error.js';
import { SpeakerRegistry, TranscriberRegistry } from './speech.registries.js';
import type { TranscribeRequest } from './transcriber.js';

/** A project's `speech` in the catalogue. The kind `none` turns one off. */
export interface SpeechSettings {
  /** Who says the answers of voice and video turns; left out: `{"kind":"espeak"}`. */
  readonly speaker?: SpeechEntry;
  /** Who transcribes recordings that come without their words; left out: `{"kind":"moonshine"}`, if its model is installed. */
  readonly transcriber?: SpeechEntry;
}

const DEFAULT_SPEAKER: SpeechEntry = { kind: 'espeak' };
const DEFAULT_TRANSCRIBER: SpeechEntry = { kind: 'moonshine' };

/** Speaks and listens as a project's settings say, by the shipped kinds and those that other modules bring. */
@Injectable()
export class SpeechService {
  private readonly logger = new Logger(SpeechService.name);

  constructor(
    private readonly speakers: SpeakerRegistry,
    private readonly transcribers: TranscriberRegistry,
  ) {}

  /** The faults of a project's settings, each starting with its place: `speaker.model: must be …`. */
  validate({ speaker, transcriber }: SpeechSettings): string[] {
    return [
      ...(speaker ? this.speakers.validate(speaker) : []).map((fault) => `speaker.${fault}`),
      ...(transcriber ? this.transcribers.validate(transcriber) : []).map((fault) => `transcriber.${fault}`),
    ];
  }

  /** Gets a project's speaker ready, without waiting for it: an answer is about to be produced. */
  prepare({ speaker = DEFAULT_SPEAKER }: SpeechSettings = {}): void {
    this.speakers.find(speaker.kind)?.prepare?.(speaker);
  }

  /**
   * An answer as speech. It never fails, for an answer without sound is still an answer: what went wrong is in the log.
   *
   * @returns undefined where there is none
   */
  async speak(settings: SpeechSettings = {}, request: Omit<SpeakRequest, 'entry'>): Promise<Speech | undefined> {
    const { speaker: entry = DEFAULT_SPEAKER } = settings;
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
    const { transcriber: entry = DEFAULT_TRANSCRIBER } = settings;
    // The recording may be erased while it is read; a transcriber that does not listen for that must not end the process.
    request.audio.on('error', () => undefined);
    try {
      return await known(this.transcribers, entry).transcribe({ ...request, entry });
    } catch (error) {
      if (!request.signal.aborted) this.logger.warn(`A recording was not transcribed: ${reasonOf(error)}`);
      throw error instanceof SpeechError ? error : new SpeechError();
    } finally {
      request.audio.destroy();
    }
  }
}

function known<T extends Replaceable>(parts: KindRegistry<T>, { kind }: KindEntry): T {
  const found = parts.find(kind);
  if (!found) throw new SpeechError('The project has a kind of speech that this service does not know.');
  return found;
}

/** Sentences of this service's own; of any other error only its kind, for it may quote what was said. */
function reasonOf(error: unknown): string {
  if (error instanceof SpeechError) return error.message;
  return error instanceof Error ? error.name : typeof error;
}
