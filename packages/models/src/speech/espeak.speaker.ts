import { setTimeout as delay } from 'node:timers/promises';
import { entryFaults } from 'avatar-chat-catalogue';
import {
  mediaProgram,
  type EspeakJob,
  voicesFor,
  type SpeechSamples,
  spokenText,
  type SpeechForm,
  type SpeechForms,
  SynthesisQueue,
  espeakWorkerClient,
  type Speech,
} from 'avatar-chat-media';
import type { LoggerOf, PartLogger } from 'avatar-chat-runtime';
import { Speaker, type SpeakRequest, type SpeechEntry, type Spoken } from './speaker.js';

const USUAL_RATE = 175;
const USUAL_PITCH = 50;
/** The first seconds of a voice take ten times as long as later ones: spoken while nobody waits, by parts, as all that is too long. */
const WARM_UP = ['Hello!', 'I am well, thank you.', 'It is about 400,000 kilometres from here.', 'Shall we do it?'];
const PAUSE_MS = 50;

/**
 * Speaks offline: eSpeak NG in a worker thread, in more than a hundred languages, as MP3. The entry is
 * `{"kind":"espeak"}`; a voice's name is one of its variants, such as `f2`, `m3` or `Annie`. It needs the optional
 * packages @echogarden/espeak-ng-emscripten and wasm-media-encoders; without them answers are not spoken.
 */
export class EspeakSpeaker extends Speaker {
  readonly kind = 'espeak';
  private readonly logger: PartLogger;
  private readonly thread = startedBy(mediaProgram('espeak/espeak.worker.js'));
  private silent = false;
  private readonly warm = new Set<string>();

  constructor(loggerOf: LoggerOf) {
    super();
    this.logger = loggerOf(EspeakSpeaker.name);
  }

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, {});
  }

  override prepare(_entry?: SpeechEntry, live?: Spoken): void {
    if (this.silent) return;
    this.thread?.prepare();
    const key = live && `${live.language_code} ${live.voice?.names?.[this.kind]}`;
    if (key === undefined || this.warm.has(key)) return;
    this.warm.add(key);
    this.warmUp(live!).catch(() => this.warm.delete(key));
  }

  speak(request: SpeakRequest): Promise<Speech | undefined> {
    return this.synthesize('mp3', request);
  }

  override sound(request: SpeakRequest): Promise<SpeechSamples | undefined> {
    return this.synthesize('pcm', request);
  }

  /** @internal Nest calls it. */
  async onApplicationShutdown(): Promise<void> {
    await this.thread?.stop();
  }

  private async warmUp(voice: Spoken): Promise<void> {
    const { signal } = new AbortController();
    for (const text of WARM_UP) {
      while (this.thread?.isBusy) await delay(PAUSE_MS, undefined, { ref: false });
      await this.synthesize('pcm', { ...voice, text, signal });
    }
  }

  private async synthesize<Form extends SpeechForm>(
    form: Form,
    { text, language_code, voice = {}, signal, holders }: Omit<SpeakRequest, 'entry'>,
  ): Promise<SpeechForms[Form] | undefined> {
    const voices = voicesFor(language_code);
    if (this.silent || spokenText(text) === '' || voices.length === 0) return undefined;
    const variant = voice.names?.[this.kind] ?? '';
    const job = {
      form,
      text,
      pronounce: voice.pronounce,
      voices: /^[A-Za-z0-9_-]{1,32}$/.test(variant) ? voices.map((name) => `${name}+${variant}`) : voices,
      rate: Math.round(within(80, USUAL_RATE * (voice.rate ?? 1), 450)),
      pitch: Math.round(within(0, USUAL_PITCH * (voice.pitch ?? 1), 99)),
    };
    const speech = (await this.thread?.synthesize(job, signal, holders)) ?? (this.thread ? undefined : 'absent');
    if (speech !== 'absent') return speech;
    if (!this.silent) this.logger.warn(this.thread ? NOT_INSTALLED : NOT_COMPILED);
    this.silent = true;
    return undefined;
  }
}

const NOT_INSTALLED =
  'Answers are not spoken: the optional packages @echogarden/espeak-ng-emscripten and wasm-media-encoders are not installed';
const NOT_COMPILED = 'Answers are not spoken: the speech thread is not compiled (npm run build)';

function startedBy(file: URL | undefined): SynthesisQueue<EspeakJob> | undefined {
  return file && new SynthesisQueue(espeakWorkerClient(file));
}

function within(low: number, value: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
