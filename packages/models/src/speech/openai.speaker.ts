import {
  isMp3,
  mp3Seconds,
  LIVE_RATE,
  type SpeechSamples,
  decoded,
  heardWords,
  samplesFrom,
  scaled,
  SpeechError,
  toMilliseconds,
  spokenText,
  type SpeechForm,
  type Speech,
} from 'avatar-chat-media';
import { textRule } from 'avatar-chat-catalogue';
import type { OpenAiServer } from '../openai.server.js';
import type { OpenAiServers } from '../openai.servers.js';
import { askOpenAi } from './openai.client.js';
import { Speaker, type SpeakRequest, type SpeechEntry } from './speaker.js';

const DEFAULT_VOICE = 'alloy';

/** Speaks by `/audio/speech` of any server with the OpenAI API. It has no phoneme timings. */
export class OpenAiSpeaker extends Speaker {
  readonly kind = 'openai';

  constructor(private readonly servers: OpenAiServers) {
    super();
  }

  validate(entry: SpeechEntry): string[] {
    return this.servers.faultsOf(entry, { voice: textRule(200) }, ['voice']);
  }

  async speak(request: SpeakRequest): Promise<Speech | undefined> {
    const audio = await this.ask(request, 'mp3');
    if (!audio) return undefined;
    const seconds = toMilliseconds(mp3Seconds(audio));
    if (seconds === 0) throw new SpeechError('The speech provider sent something other than MP3.');
    return { audio, content_type: 'audio/mpeg', seconds, phonemes: [] };
  }

  override async sound(request: SpeakRequest): Promise<SpeechSamples | undefined> {
    const audio = await this.ask(request, 'pcm');
    if (!audio) return undefined;
    // Some servers return MP3 whatever format was requested.
    if (isMp3(audio)) return decoded({ audio, phonemes: [] }, request.text);
    const samples = samplesFrom(audio);
    if (samples.length === 0 || isText(audio))
      throw new SpeechError('The speech provider sent something other than PCM.');
    return { samples, phonemes: [], words: heardWords(request.text, scaled(samples), LIVE_RATE) };
  }

  private async ask(
    { entry, text, voice = {}, signal }: SpeakRequest,
    response_format: SpeechForm,
  ): Promise<Uint8Array | undefined> {
    const input = spokenText(text, voice.pronounce);
    if (input === '' || signal.aborted) return undefined;
    const settings = entry as SpeechEntry & OpenAiServer & { voice?: string };
    return askOpenAi(this.servers, settings, signal, async (client, options) => {
      const response = await client.audio.speech.create(
        {
          model: settings.model,
          voice: voice.names?.[this.kind] ?? settings.voice ?? DEFAULT_VOICE,
          input,
          response_format,
          ...(voice.rate === undefined ? {} : { speed: Math.min(4, Math.max(0.25, voice.rate)) }),
        },
        options,
      );
      return new Uint8Array(await response.arrayBuffer());
    });
  }
}

/** Whether the data is text, such as JSON or the name of another format: audio does not consist of letters only. */
function isText(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 4).every((byte) => byte >= 0x20 && byte < 0x7f);
}
