import type { SpeechEntry } from './speaker.js';
import { Transcriber, type TranscribeRequest } from './transcriber.js';
import type { Recognition } from './recognition.js';
import type { RecognitionModel } from 'avatar-chat-media';
import type { ModelStore } from 'avatar-chat-model-files';

/** An installed model. */
export interface OfflineModel {
  /** For the log. */
  readonly name: string;
  readonly files: RecognitionModel;
}

/** Transcribes with a model in a local directory. */
export abstract class OfflineTranscriber extends Transcriber {
  constructor(
    protected readonly models: ModelStore,
    protected readonly recognition: Recognition,
  ) {
    super();
  }

  /** Whether the model of an entry supports a language. */
  abstract understands(entry: SpeechEntry, language_code: string): boolean;

  /** @returns undefined if it cannot be used; the reason is logged */
  abstract modelOf(entry: SpeechEntry, language_code: string): Promise<OfflineModel | undefined>;

  override prepare(entry: SpeechEntry, language_code: string): void {
    if (!this.understands(entry, language_code)) return;
    // Faults of a model are logged, or reported again with the recording.
    void this.modelOf(entry, language_code).then(
      (model) => model && this.recognition.prepare(model.name, model.files),
      () => undefined,
    );
  }

  async transcribe(request: TranscribeRequest): Promise<string | undefined> {
    if (!this.understands(request.entry, request.language_code)) return undefined;
    const model = await this.modelOf(request.entry, request.language_code);
    return model && this.recognition.transcribe(model.name, model.files, request);
  }
}
