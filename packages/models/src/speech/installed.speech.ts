import { join } from 'node:path';
import { type InstalledModel, ModelStore, MOONSHINE } from 'avatar-chat-model-files';
import type { SpeechEntry, VoiceSettings } from './speaker.js';

/** What installed models offer to projects that name no speaker or transcriber. */
export class InstalledSpeech {
  constructor(private readonly models: ModelStore) {}

  /** A Piper voice of the language and gender; one of unknown gender, or for an avatar of unknown gender, fits too. */
  async speakerFor(language_code: string, gender?: VoiceSettings['gender']): Promise<SpeechEntry | undefined> {
    const voices = await this.ofLanguage('voice', language_code);
    const fitting = voices.filter(({ facts }) => !gender || (facts.gender ?? gender) === gender);
    const [best] = [...fitting].sort((one, other) => known(other) - known(one));
    if (!best) return undefined;
    const model = join(best.directory, `${best.facts.name.slice('piper-'.length)}.onnx`);
    return { kind: 'piper', model, models: { [language_code]: model } } as SpeechEntry;
  }

  /** The language's own recognizer; undefined for English if the usual one is installed. */
  async transcriberFor(language_code: string): Promise<SpeechEntry | undefined> {
    const found = await this.ofLanguage('recognition', language_code);
    if (found.some(({ facts }) => facts.name === MOONSHINE.name)) return undefined;
    // The more languages a model has, the less it knows of each.
    const [best] = [...found].sort(
      (one, other) => one.facts.languages.length - other.facts.languages.length || other.size - one.size,
    );
    return best && ({ kind: 'sherpa', model: best.directory, languages: [primary(language_code)] } as SpeechEntry);
  }

  async hasTranscriber(language_code: string): Promise<boolean> {
    return (await this.ofLanguage('recognition', language_code)).length > 0;
  }

  private async ofLanguage(purpose: string, language_code: string): Promise<InstalledModel[]> {
    const all = await this.models.allInstalled();
    return all.filter(({ facts }) => facts.purpose === purpose && facts.languages.includes(primary(language_code)));
  }
}

const known = ({ facts }: InstalledModel) => (facts.gender ? 1 : 0);

/** `en` of `en-US`. */
function primary(language_code: string): string {
  return language_code.toLowerCase().split('-', 1)[0]!;
}
