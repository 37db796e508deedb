import { Injectable } from '@nestjs/common';
import { mp3Seconds } from '../files/index.js';
import { type OpenAiServer, OpenAiServers } from '../openai/index.js';
import { textRule } from '../platform/kinds/index.js';
import { askOpenAi } from './openai.client.js';
import { Speaker, type SpeakRequest, type Speech, type SpeechEntry } from './speaker.js';
import { SpeechError } from './speech.error.js';
import { spokenText } from './speech.text.js';

const DEFAULT_VOICE = 'alloy';

/** Speaks by `/audio/speech` of any server that speaks the OpenAI API. It does not know when which phoneme is spoken. */
@Injectable()
export class OpenAiSpeaker extends Speaker {
  readonly kind = 'openai';

  constructor(private readonly servers: OpenAiServers) {
    super();
  }

  validate(entry: SpeechEntry): string[] {
    return this.servers.faultsOf(entry, { voice: textRule(200) }, ['voice']);
  }

  async speak({ entry, text, voice = {}, signal }: SpeakRequest): Promise<Speech | undefined> {
    const input = spokenText(text);
    if (input === '' || signal.aborted) return undefined;
    const settings = entry as SpeechEntry & OpenAiServer & { voice?: string };
    const audio = await askOpenAi(this.servers, settings, signal, async (client, options) => {
      const response = await client.audio.speech.create(
        {
          model: settings.model,
          voice: voice.names?.[this.kind] ?? settings.voice ?? DEFAULT_VOICE,
          input,
          response_format: 'mp3',
          ...(voice.rate === undefined ? {} : { speed: Math.min(4, Math.max(0.25, voice.rate)) }),
        },
        options,
      );
      return new Uint8Array(await response.arrayBuffer());
    });
    const seconds = Math.round(mp3Seconds(audio) * 1000) / 1000;
    if (seconds === 0) throw new SpeechError('The speech provider sent something other than MP3.');
    return { audio, content_type: 'audio/mpeg', seconds, phonemes: [] };
  }
}
