import { entryFaults, type FieldRule } from 'avatar-chat-catalogue';
import {
  mediaProgram,
  voicesFor,
  piperWorkerClient,
  findPiperModel,
  type PiperModel,
  PiperModelError,
  type PiperJob,
  type SpeechSamples,
  SpeechError,
  spokenText,
  type SpeechForm,
  type SpeechForms,
  type Synthesis,
  SynthesisCrash,
  SynthesisQueue,
  type Speech,
} from 'avatar-chat-media';
import type { Clock, LoggerOf, PartLogger } from 'avatar-chat-runtime';
import type { Config } from 'avatar-chat-settings';
import type { EspeakSpeaker } from './espeak.speaker.js';
import { Speaker, type SpeakRequest, type SpeechEntry, type Spoken } from './speaker.js';

/** Idle time after which the process, which takes some 300 MB, is ended. */
const IDLE_LIMIT_MS = 600_000;
/** When a model that crashed the process is tried again. */
const RETRY_MS = 60_000;
const UNUSABLE = 'The Piper voice cannot be used: the model';

interface PiperEntry extends SpeechEntry {
  readonly model: string;
  readonly models?: Readonly<Record<string, string>>;
}

/**
 * Speaks offline with Piper models, and like eSpeak in languages without one. The entry is
 * `{"kind":"piper","model":"en_US-joe-medium.onnx"}`, with an absolute path or one within `MODELS_DIR`, and its
 * `.onnx.json` beside it; `"models": {"de":"…"}` has models for other languages. A voice's name is that of a speaker in
 * a model with several.
 */
export class PiperSpeaker extends Speaker {
  readonly kind = 'piper';
  private readonly logger: PartLogger;
  private readonly queue = startedBy(mediaProgram('piper/piper.worker.js'));
  private readonly unusableUntil = new Map<string, number>();
  private absent = false;

  constructor(
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly espeak: EspeakSpeaker,
    loggerOf: LoggerOf,
  ) {
    super();
    this.logger = loggerOf(PiperSpeaker.name);
  }

  validate(entry: SpeechEntry): string[] {
    return entryFaults(entry, { model: this.modelRule(), models: this.modelsRule() }, ['models']);
  }

  override prepare(entry: SpeechEntry, live?: Spoken): void {
    this.espeak.prepare(entry, live);
    try {
      // The first words take longer than all later ones.
      const text = live ? 'Hello!' : '';
      const job = { form: 'pcm', model: this.find((entry as PiperEntry).model), text, speaker: 0, rate: 1 } as const;
      this.synthesize(job, new AbortController().signal).catch(() => undefined);
    } catch {
      // The first sentence reports the reason.
    }
  }

  async speak(request: SpeakRequest): Promise<Speech | undefined> {
    return (await this.say('mp3', request)) ?? this.espeak.speak(request);
  }

  override async sound(request: SpeakRequest): Promise<SpeechSamples | undefined> {
    return (await this.say('pcm', request)) ?? this.espeak.sound(request);
  }

  /** @internal Nest calls it. */
  async onApplicationShutdown(): Promise<void> {
    await this.queue?.stop();
  }

  /** @returns undefined if eSpeak has to speak instead; an empty text has no audio in either case */
  private async say<Form extends SpeechForm>(
    form: Form,
    { entry, text, language_code, voice = {}, signal, holders }: SpeakRequest,
  ): Promise<SpeechForms[Form] | undefined> {
    if (spokenText(text) === '' || signal.aborted) return undefined;
    const model = this.modelFor(entry as PiperEntry, language_code);
    if (!model) return undefined;
    const { speakerIds } = model.config;
    const name = voice.names?.[this.kind] ?? '';
    const speaker = Object.hasOwn(speakerIds, name) ? speakerIds[name]! : 0;
    const said = await this.synthesize(
      { form, model, text, speaker, rate: voice.rate ?? 1, pronounce: voice.pronounce },
      signal,
      holders,
    );
    if (said !== 'absent') return said;
    if (!this.absent)
      this.logger.warn('Piper voices need the optional package sherpa-onnx-node: eSpeak speaks instead');
    this.absent = true;
    return undefined;
  }

  private async synthesize<Form extends SpeechForm>(
    job: PiperJob & { form: Form },
    signal: AbortSignal,
    holders?: readonly string[],
  ): Promise<Synthesis<Form>> {
    if (!this.queue || this.absent) return 'absent';
    const key = `${job.model.file}\n${job.model.version}`;
    if ((this.unusableUntil.get(key) ?? 0) > this.clock.monotonic())
      throw new SpeechError(`${UNUSABLE} ended its process.`);
    try {
      return await this.queue.synthesize(job, signal, holders);
    } catch (error) {
      if (error instanceof SynthesisCrash) {
        this.unusableUntil.clear();
        this.unusableUntil.set(key, this.clock.monotonic() + RETRY_MS);
      }
      throw error;
    }
  }

  /** @returns undefined if there is no model for the language */
  private modelFor({ model, models = {} }: PiperEntry, language_code: string): PiperModel | undefined {
    const code = language_code.toLowerCase();
    const own = Object.keys(models).find((key) => key.toLowerCase() === code);
    const path = own ?? Object.keys(models).find((key) => primary(key) === primary(code));
    if (path !== undefined) return this.find(models[path]!);
    const first = this.find(model);
    const speaks = primary(first.config.espeakVoice);
    return voicesFor(code).some((voice) => primary(voice) === speaks) ? first : undefined;
  }

  private find(path: string): PiperModel {
    try {
      return findPiperModel(path, this.config.modelsDir);
    } catch (error) {
      throw new SpeechError(error instanceof PiperModelError ? `${UNUSABLE} ${error.message}.` : undefined);
    }
  }

  private faultOf(path: unknown): string | undefined {
    if (typeof path !== 'string' || path.length > 1000) return 'must be the path of an .onnx file';
    try {
      findPiperModel(path, this.config.modelsDir);
      return undefined;
    } catch (error) {
      return error instanceof PiperModelError ? error.message : 'cannot be read';
    }
  }

  private modelRule(): FieldRule {
    return [(path) => this.faultOf(path) === undefined, (path) => this.faultOf(path)!];
  }

  private modelsRule(): FieldRule {
    const faultIn = (models: unknown): string | undefined => {
      if (typeof models !== 'object' || models === null || Array.isArray(models) || Object.keys(models).length > 100)
        return 'must be an object of languages and paths of .onnx files';
      const fault = Object.values(models)
        .map((path) => this.faultOf(path))
        .find((found) => found !== undefined);
      return fault && `one of the files ${fault}`;
    };
    return [(models) => faultIn(models) === undefined, (models) => faultIn(models)!];
  }
}

function startedBy(file: URL | undefined): SynthesisQueue<PiperJob> | undefined {
  return file && new SynthesisQueue(piperWorkerClient(file), IDLE_LIMIT_MS);
}

/** For example `en` for `en-US` and `en_US`. */
function primary(code: string): string {
  return code.toLowerCase().split(/[-_]/, 1)[0]!;
}
