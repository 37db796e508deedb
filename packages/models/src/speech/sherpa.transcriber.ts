import { layoutOf } from 'avatar-chat-media';
import { installedSilero } from 'avatar-chat-model-files';
import { entryFaults, type FieldRule, textRule } from 'avatar-chat-catalogue';
import type { SpeechEntry } from './speaker.js';
import { hasLanguage, LANGUAGES_RULE } from './languages.js';
import { type OfflineModel, OfflineTranscriber } from './offline.transcriber.js';

const AUTO_RULE: FieldRule = [(value) => value === 'auto', 'must be "auto"'];

/**
 * Transcribes offline with any sherpa-onnx model, in the languages of that model. The entry is
 * `{"kind":"sherpa","model":"<directory>"}`. With `languages`, recordings in others have no transcript, and the model gets the
 * turn's language, unless `"language":"auto"` lets it choose.
 */
export class SherpaTranscriber extends OfflineTranscriber {
  readonly kind = 'sherpa';

  validate(entry: SpeechEntry): string[] {
    const rules = { model: textRule(1000), languages: LANGUAGES_RULE, language: AUTO_RULE };
    return entryFaults(entry, rules, ['languages', 'language']);
  }

  understands(entry: SpeechEntry, language_code: string): boolean {
    const { languages } = entry as { languages?: readonly string[] };
    return !languages || hasLanguage(languages, language_code);
  }

  async modelOf(entry: SpeechEntry, language_code: string): Promise<OfflineModel | undefined> {
    const { model: directory = '', languages, language } = entry as unknown as Record<string, string>;
    // Whisper ends the process if it does not know a language; the entry names those that the model knows.
    const isNamed = languages !== undefined && language === undefined;
    const layout = layoutOf(directory, isNamed ? language_code.toLowerCase().split('-', 1)[0] : undefined);
    const silero = layout && (layout.silero ?? (await installedSilero(this.models)));
    if (layout && silero) return { name: directory, files: { model: layout.model, silero } };
    const lack = 'there is no silero_vad.onnx, neither with the model nor installed';
    this.recognition.warnOnce(directory, layout ? lack : 'the directory has no model that is known');
    return undefined;
  }
}
