import { Injectable } from '@nestjs/common';
import { ModelStore, layoutOf, installedSilero } from 'avatar-chat-media';
import { entryFaults, textRule } from 'avatar-chat-catalogue';
import type { SpeechEntry } from '../speaker.js';
import { hasLanguage, LANGUAGES_RULE } from './languages.js';
import { type OfflineModel, OfflineTranscriber } from './offline.transcriber.js';
import { Recognition } from './recognition.js';

/**
 * Transcribes offline with any sherpa-onnx model, in the languages of that model. The entry is
 * `{"kind":"sherpa","model":"<directory>"}`; with `languages`, recordings in others have no transcript.
 */
@Injectable()
export class SherpaTranscriber extends OfflineTranscriber {
  readonly kind = 'sherpa';

  constructor(
    private readonly models: ModelStore,
    recognition: Recognition,
  ) {
    super(recognition);
  }

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, { model: textRule(1000), languages: LANGUAGES_RULE }, ['languages']);
  }

  understands(entry: SpeechEntry, language_code: string): boolean {
    const { languages } = entry as { languages?: readonly string[] };
    return !languages || hasLanguage(languages, language_code);
  }

  async modelOf(entry: SpeechEntry): Promise<OfflineModel | undefined> {
    const { model: directory, languages = [] } = entry as unknown as { model: string; languages?: readonly string[] };
    const layout = layoutOf(
      directory,
      languages.length === 1 ? languages[0]!.toLowerCase().split('-', 1)[0] : undefined,
    );
    if (!layout) {
      this.recognition.warnOnce(directory, 'the directory has no model that is known');
      return undefined;
    }
    const silero = layout.silero ?? (await installedSilero(this.models));
    if (!silero) {
      this.recognition.warnOnce(directory, 'there is no silero_vad.onnx, neither with the model nor installed');
      return undefined;
    }
    return { name: directory, files: { model: layout.model, silero } };
  }
}
