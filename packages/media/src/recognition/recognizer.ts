import type { TurnDetection } from './streams/transcription.stream.js';
import { LIVE_RATE } from '../audio/speech.samples.js';
import { DecodeQueue } from './decode.queue.js';
import { type DetectorSettings, Detectors } from './detectors.js';
import type { SpeechStreamParts } from './streams/speech.stream.js';
import { loadSherpa, PROVIDER, type Sherpa } from './sherpa.library.js';
import type { ModelConfig } from './sherpa.layout.js';
import { decodeWithRetries } from './decode.retries.js';
import { SAMPLE_RATE } from './speech.spans.js';
import { TurnJudge, type TurnModel } from './turns/turn.judge.js';

/** The files to load. */
export interface RecognitionModel {
  /** Omitted: speech is detected, but not transcribed. */
  readonly model?: ModelConfig;
  /** File of Silero's voice activity detection. */
  readonly silero: string;
}

/** Each frame is decided separately: turns are detected elsewhere. Seconds. */
const LIVE = { minSpeechDuration: 0.001, minSilenceDuration: 0.001, maxSpeechDuration: 3600 };
/** Default probability above which a frame counts as speech. */
const THRESHOLD = 0.5;

/** Least time between changes of a stream's detector, in milliseconds: loading one takes a twentieth of a second. */
const CHANGE_MS = 2000;

/** A decoding takes a second at most. */
const HANGING_MS = 30_000;

/** One model, which takes a second or two to load. */
export class Recognizer {
  readonly detectors: Detectors;
  /** Undefined without a model for transcription. */
  readonly decodes?: DecodeQueue;

  private readonly judges = new Map<string, TurnJudge>();

  private constructor(
    readonly sherpa: Sherpa,
    { model, silero }: RecognitionModel,
  ) {
    this.detectors = new Detectors(sherpa, silero);
    if (model) this.decodes = new DecodeQueue(decoder(sherpa, model));
  }

  /** @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional package is not installed */
  static async load(files: RecognitionModel): Promise<Recognizer> {
    return new Recognizer(await loadSherpa(), files);
  }

  private judgeOf(model: TurnModel): TurnJudge {
    const judge = this.judges.get(model.model) ?? new TurnJudge(model);
    this.judges.set(model.model, judge);
    return judge;
  }

  /** The native parts of a speaker's stream. Must be released. */
  streamParts(
    holders: readonly string[],
    detection?: TurnDetection,
  ): SpeechStreamParts & { configure(detection: TurnDetection | undefined): void; release(): void } {
    const resampler = new this.sherpa.LinearResampler(LIVE_RATE, SAMPLE_RATE);
    let settings = settingsFor(detection);
    let detector = this.detectors.acquireDetector(settings);
    const release = () => this.detectors.releaseDetector(detector, settings);
    let wanted = settings;
    let changedAt = -Infinity;
    const change = () => {
      const now = performance.now();
      if (now - changedAt < CHANGE_MS) return;
      changedAt = now;
      release();
      settings = wanted;
      detector = this.detectors.acquireDetector(settings);
    };
    return {
      decodes: this.decodes?.sharedBy(holders[0]!),
      judge: (model, sound) => this.judgeOf(model).judge(sound),
      resample: (samples) => resampler.resample(samples),
      isSpeech: (frame) => {
        if (wanted.threshold !== settings.threshold) change();
        detector.acceptWaveform(frame);
        for (; !detector.isEmpty(); detector.pop());
        return detector.isDetected();
      },
      configure: (detection) => {
        wanted = settingsFor(detection);
      },
      release,
    };
  }
}

/** Decoded in steps, so that detectors can be reused. */
function settingsFor({ threshold = THRESHOLD }: Partial<TurnDetection> = {}): DetectorSettings {
  return { ...LIVE, threshold: Math.min(0.95, Math.max(0.05, Math.round(20 * threshold) / 20)) };
}

function decoder(sherpa: Sherpa, model: ModelConfig): ConstructorParameters<typeof DecodeQueue>[0] {
  const recognizer = new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    // One thread: a second one hardly helps with short recordings, and takes a CPU from the service.
    modelConfig: { ...model, numThreads: 1, provider: PROVIDER, debug: 0 },
  });
  const isAnyLanguage = [model.whisper, model.senseVoice].some((part) => (part as ModelConfig)?.language === '');
  const decode = async (samples: Float32Array, onLanguage: (code: string) => void) => {
    const stream = recognizer.createStream();
    stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE });
    // A thread that hangs only ends with its process.
    const hanging = setTimeout(() => process.kill(process.pid, 'SIGKILL'), HANGING_MS);
    const { text, lang = '' } = await recognizer.decodeAsync(stream).finally(() => clearTimeout(hanging));
    if (!/[\p{L}\p{N}]/u.test(text)) return '';
    // SenseVoice writes `<|en|>`, and `<|nospeech|>`.
    const [, code] = /^(?:<\|)?([a-z]{2,3})(?:\|>)?$/.exec(lang) ?? [];
    if (isAnyLanguage && code) onLanguage(code);
    return text.trim();
  };
  return (samples, onLanguage) => decodeWithRetries(samples, (part) => decode(part, onLanguage));
}
