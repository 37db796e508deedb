import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { entryFaults } from '../platform/kinds/index.js';
import { compiledProgram } from '../platform/programs/index.js';
import type { EspeakJob } from './espeak.synthesis.js';
import { voicesFor } from './espeak.voices.js';
import { spokenText } from './speech.text.js';
import { Speaker, type SpeakRequest, type Speech, type SpeechEntry } from './speaker.js';
import { SynthesisQueue } from './synthesis.queue.js';
import { synthesisThread } from './synthesis.thread.js';

const USUAL_RATE = 175;
const USUAL_PITCH = 50;

/**
 * Speaks without a network: eSpeak NG in a thread of its own, in more than a hundred languages, as MP3. The entry is
 * `{"kind":"espeak"}`; a voice's name is one of its variants, such as `f2`, `m3` or `Annie`. It needs the optional
 * packages @echogarden/espeak-ng-emscripten and wasm-media-encoders; without them it is silent.
 */
@Injectable()
export class EspeakSpeaker extends Speaker implements OnApplicationShutdown {
  readonly kind = 'espeak';
  private readonly logger = new Logger(EspeakSpeaker.name);
  private readonly thread = startedBy(compiledProgram(import.meta.url, 'espeak.worker.js'));
  private silent = false;

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, {});
  }

  override prepare(): void {
    if (!this.silent) this.thread?.prepare();
  }

  async speak({ text, language_code, voice = {}, signal }: SpeakRequest): Promise<Speech | undefined> {
    const spoken = spokenText(text);
    const voices = voicesFor(language_code);
    if (this.silent || spoken === '' || voices.length === 0) return undefined;
    const variant = voice.names?.[this.kind] ?? '';
    const job = {
      text: spoken,
      voices: /^[A-Za-z0-9_-]{1,32}$/.test(variant) ? voices.map((name) => `${name}+${variant}`) : voices,
      rate: Math.round(within(80, USUAL_RATE * (voice.rate ?? 1), 450)),
      pitch: Math.round(within(0, USUAL_PITCH * (voice.pitch ?? 1), 99)),
    };
    const speech = (await this.thread?.synthesize(job, signal)) ?? (this.thread ? undefined : 'absent');
    if (speech !== 'absent') return speech;
    if (!this.silent) this.logger.warn(this.thread ? NOT_INSTALLED : NOT_COMPILED);
    this.silent = true;
    return undefined;
  }

  /** @internal */
  async onApplicationShutdown(): Promise<void> {
    await this.thread?.stop();
  }
}

const NOT_INSTALLED =
  'Answers are not spoken: the optional packages @echogarden/espeak-ng-emscripten and wasm-media-encoders are not installed';
const NOT_COMPILED = 'Answers are not spoken: the speech thread is not compiled (npm run build)';

function startedBy(file: URL | undefined): SynthesisQueue<EspeakJob> | undefined {
  return file && new SynthesisQueue(synthesisThread(file));
}

function within(low: number, value: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
