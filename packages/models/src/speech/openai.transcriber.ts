import { secondsIn } from 'avatar-chat-media';
import type { OpenAiServer } from '../openai.server.js';
import type { OpenAiCall, OpenAiServers } from '../openai.servers.js';
import { askOpenAi } from './openai.client.js';
import type { SpeechEntry } from './speaker.js';
import { Transcriber, type TranscribeRequest } from './transcriber.js';

/** Maximum length of a transcript, the same as that of a message, in characters. */
const TRANSCRIPT_LIMIT = 8000;

/** Servers detect the format by the file extension. */
const ENDINGS: Readonly<Record<string, string>> = { mpeg: 'mp3', matroska: 'mkv', quicktime: 'mov' };

/** Transcribes recordings by `/audio/transcriptions` of any server with the OpenAI API. */
export class OpenAiTranscriber extends Transcriber {
  readonly kind = 'openai';

  constructor(private readonly servers: OpenAiServers) {
    super();
  }

  validate(entry: SpeechEntry): string[] {
    return this.servers.faultsOf(entry);
  }

  async transcribe(request: TranscribeRequest): Promise<string | undefined> {
    const { entry, audio, content_type, language_code, onHeard, signal } = request;
    const settings = entry as SpeechEntry & OpenAiServer;
    const pieces: Uint8Array[] = [];
    for await (const piece of audio) if (pieces.push(piece) && signal.aborted) return undefined;
    const format = content_type.split('/')[1] ?? '';
    const language = language_code.split('-', 1)[0]!.toLowerCase();
    const measuring = onHeard && secondsIn(Buffer.concat(pieces), signal).then((seconds) => onHeard(seconds));
    const file = new File(pieces as Uint8Array<ArrayBuffer>[], `recording.${ENDINGS[format] ?? format}`, {
      type: content_type,
    });
    const { model } = settings;
    const asked = { file, model, response_format: 'json' as const, ...(language.length === 2 ? { language } : {}) };
    const ask: OpenAiCall<unknown> = async (to, options) => (await to.audio.transcriptions.create(asked, options)).text;
    const text = await askOpenAi(this.servers, settings, signal, ask);
    await measuring;
    return typeof text === 'string' ? [...text.trim()].slice(0, TRANSCRIPT_LIMIT).join('') || undefined : undefined;
  }
}
