import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { ModelStore, MOONSHINE } from '../../models/index.js';
import { entryFaults, textRule } from '../../platform/kinds/index.js';
import type { SpeechEntry } from '../speaker.js';
import { Transcriber, type TranscribeRequest } from '../transcriber.js';
import { hasLanguage, LANGUAGES_RULE } from './languages.js';
import { Recognition } from './recognition.js';
import { layoutOf } from './sherpa.layout.js';

/**
 * Transcribes offline with any model of sherpa-onnx, in the languages of that model. The entry is
 * `{"kind":"sherpa","model":"<directory>"}`; with `languages`, recordings in others have no transcript.
 */
@Injectable()
export class SherpaTranscriber extends Transcriber {
  readonly kind = 'sherpa';

  constructor(
    private readonly models: ModelStore,
    private readonly recognition: Recognition,
  ) {
    super();
  }

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, { model: textRule(1000), languages: LANGUAGES_RULE }, ['languages']);
  }

  async transcribe(request: TranscribeRequest): Promise<string | undefined> {
    const { model: directory, languages } = request.entry as unknown as { model: string; languages?: string[] };
    if (languages && !hasLanguage(languages, request.language_code)) return undefined;
    const layout = layoutOf(directory);
    if (!layout) {
      this.recognition.warnOnce(directory, 'the directory has no model that is known');
      return undefined;
    }
    const silero = layout.silero ?? (await this.installedSilero());
    if (!silero) {
      this.recognition.warnOnce(directory, 'there is no silero_vad.onnx, neither with the model nor installed');
      return undefined;
    }
    return this.recognition.transcribe(directory, { model: layout.model, silero }, request);
  }

  private async installedSilero(): Promise<string | undefined> {
    const found = await this.models.find(MOONSHINE);
    return typeof found === 'string' ? undefined : join(found.directory, 'silero_vad.onnx');
  }
}
