import { Injectable } from '@nestjs/common';
import { ModelStore, MOONSHINE } from '../../models/index.js';
import { entryFaults } from '../../platform/kinds/index.js';
import type { SpeechEntry } from '../speaker.js';
import { Transcriber, type TranscribeRequest } from '../transcriber.js';
import { hasLanguage, LANGUAGES_RULE } from './languages.js';
import { Recognition } from './recognition.js';
import { layoutOf } from './sherpa.layout.js';

const ENGLISH = ['en'];
const REASONS = { absent: 'the model is not installed', damaged: 'the model is damaged' };

/**
 * Transcribes English offline, if its model is installed. The entry is `{"kind":"moonshine"}`, with
 * `"languages": ["en"]` for the languages in which recordings are tried.
 */
@Injectable()
export class MoonshineTranscriber extends Transcriber {
  readonly kind = 'moonshine';

  constructor(
    private readonly models: ModelStore,
    private readonly recognition: Recognition,
  ) {
    super();
  }

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, { languages: LANGUAGES_RULE }, ['languages']);
  }

  async transcribe(request: TranscribeRequest): Promise<string | undefined> {
    const { languages = ENGLISH } = request.entry as { languages?: readonly string[] };
    if (!hasLanguage(languages, request.language_code)) return undefined;
    const found = await this.models.find(MOONSHINE);
    if (typeof found === 'string') {
      this.recognition.warnOnce(MOONSHINE.name, REASONS[found]);
      return undefined;
    }
    const { model, silero } = layoutOf(found.directory)!;
    return this.recognition.transcribe(MOONSHINE.name, { model, silero: silero! }, request);
  }
}
