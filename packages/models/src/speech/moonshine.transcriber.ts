import { layoutOf } from 'avatar-chat-media';
import { MOONSHINE } from 'avatar-chat-model-files';
import { entryFaults } from 'avatar-chat-catalogue';
import type { SpeechEntry } from './speaker.js';
import { hasLanguage, LANGUAGES_RULE } from './languages.js';
import { type OfflineModel, OfflineTranscriber } from './offline.transcriber.js';

const ENGLISH = ['en'];
const REASONS = { absent: 'the model is not installed', damaged: 'the model is damaged' };

/**
 * Transcribes English offline, if its model is installed. The entry is `{"kind":"moonshine"}`, with
 * `"languages": ["en"]` for the languages in which recordings are tried.
 */
export class MoonshineTranscriber extends OfflineTranscriber {
  readonly kind = 'moonshine';

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, { languages: LANGUAGES_RULE }, ['languages']);
  }

  understands(entry: SpeechEntry, language_code: string): boolean {
    const { languages = ENGLISH } = entry as { languages?: readonly string[] };
    return hasLanguage(languages, language_code);
  }

  async modelOf(): Promise<OfflineModel | undefined> {
    const found = await this.models.find(MOONSHINE);
    if (typeof found === 'string') {
      this.recognition.warnOnce(MOONSHINE.name, REASONS[found]);
      return undefined;
    }
    const { model, silero } = layoutOf(found.directory)!;
    return { name: MOONSHINE.name, files: { model, silero: silero! } };
  }
}
