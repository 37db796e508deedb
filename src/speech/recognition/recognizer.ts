import { samplesOf } from './audio.samples.js';
import type { ModelConfig } from './sherpa.layout.js';
import { SoundBuffer } from './sound.buffer.js';
import { SAMPLE_RATE, type Span, SpeechSpans } from './speech.spans.js';

/** What is to be loaded. */
export interface RecognitionModel {
  readonly model: ModelConfig;
  /** File of Silero's voice activity detection. */
  readonly silero: string;
}

/** Seconds of a recording that are listened to. */
const LIMIT_SECONDS = 600;
/** Samples after which others have their turn. */
const STEP = 5 * SAMPLE_RATE;
/** Samples that Silero looks at together. */
const WINDOW = 512;
/** Samples of silence around what is recognized: 7 of 100 words more are right, for beginnings are no longer missed. */
const PADDING = 0.2 * SAMPLE_RATE;
/** Samples before the present that may turn out to be speech. */
const LOOK_BACK = 2 * SAMPLE_RATE;

// The part of sherpa-onnx-node, which has no types, that is used here.
interface Stream {
  acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void;
}
interface Detector {
  acceptWaveform(samples: Float32Array): void;
  isDetected(): boolean;
  isEmpty(): boolean;
  front(externalBuffer: boolean): { start: number; samples: Float32Array };
  pop(): void;
  flush(): void;
  reset(): void;
}
interface Resampler {
  resample(samples: Float32Array): Float32Array;
  flush(samples: Float32Array): Float32Array;
}
interface Sherpa {
  OfflineRecognizer: new (config: object) => {
    createStream(): Stream;
    decode(stream: Stream): void;
    getResult(stream: Stream): { text: string };
  };
  Vad: new (config: object, bufferSeconds: number) => Detector;
  LinearResampler: new (from: number, to: number) => Resampler;
}

const SHERPA: string = 'sherpa-onnx-node';

/** Transcribes recordings with one model, which takes a second or two to load. */
export class Recognizer {
  private readonly recognizer: InstanceType<Sherpa['OfflineRecognizer']>;
  private readonly idleDetectors: Detector[] = [];

  private constructor(
    private readonly sherpa: Sherpa,
    private readonly files: RecognitionModel,
  ) {
    this.recognizer = new sherpa.OfflineRecognizer({
      featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
      // One thread: a second one hardly helps with short recordings, and takes a processor from the service.
      modelConfig: { ...files.model, numThreads: 1, provider: 'cpu', debug: 0 },
    });
    this.idleDetectors.push(this.detector());
  }

  /** @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional package is not installed */
  static async load(files: RecognitionModel): Promise<Recognizer> {
    const { default: sherpa } = (await import(SHERPA)) as { default: Sherpa };
    return new Recognizer(sherpa, files);
  }

  /**
   * Transcribes a recording, up to a limit of ten minutes. It yields after each few seconds of sound, so that several
   * recordings can take turns. What is damaged ends where the damage begins.
   *
   * @returns the words, or nothing
   */
  async *transcribe(recording: Uint8Array): AsyncGenerator<void, string> {
    const detector = this.idleDetectors.pop() ?? this.detector();
    const [sound, spans, words] = [new SoundBuffer(), new SpeechSpans(), [] as string[]];
    let quiet = 0;
    try {
      for await (const piece of this.resampled(recording)) {
        sound.append(piece);
        // It decides once per call.
        for (let at = 0; at < piece.length; at += WINDOW) detector.acceptWaveform(piece.subarray(at, at + WINDOW));
        yield* this.recognize(spoken(detector, spans), sound, words);
        if (!detector.isDetected()) quiet = sound.end - LOOK_BACK;
        sound.forget(Math.min(quiet, spans.begin ?? quiet));
        yield;
      }
      detector.flush();
      yield* this.recognize([...spoken(detector, spans), ...spans.end(sound.end)], sound, words);
      return words.join(' ');
    } finally {
      detector.reset();
      this.idleDetectors.push(detector);
    }
  }

  private *recognize(spans: Span[], sound: SoundBuffer, words: string[]): Generator<void> {
    for (const { start, end } of spans) {
      const stream = this.recognizer.createStream();
      stream.acceptWaveform({ samples: padded(sound.slice(start, end)), sampleRate: SAMPLE_RATE });
      this.recognizer.decode(stream);
      const text = this.recognizer.getResult(stream).text.trim();
      if (/[\p{L}\p{N}]/u.test(text)) words.push(text);
      yield;
    }
  }

  /** The sound of a recording at the rate of the models, in steps, up to the limit or to where it is damaged. */
  private async *resampled(recording: Uint8Array): AsyncGenerator<Float32Array> {
    let resampler: Resampler | undefined;
    let rate = SAMPLE_RATE;
    let left = LIMIT_SECONDS * SAMPLE_RATE;
    let step: Float32Array[] = [];
    let length = 0;
    const add = (samples: Float32Array) => {
      const taken = samples.subarray(0, left);
      left -= taken.length;
      length += taken.length;
      step.push(taken);
    };
    try {
      for await (const { samples, sampleRate } of samplesOf(recording)) {
        if (sampleRate !== rate) {
          rate = sampleRate;
          resampler = rate === SAMPLE_RATE ? undefined : new this.sherpa.LinearResampler(rate, SAMPLE_RATE);
        }
        add(resampler ? resampler.resample(samples) : samples);
        if (length < STEP && left > 0) continue;
        yield joined(step, length);
        [step, length] = [[], 0];
        if (left === 0) return;
      }
      if (resampler) add(resampler.flush(new Float32Array(1)));
    } catch {
      // What came before the damage counts.
    }
    yield joined(step, length);
  }

  private detector(): Detector {
    const sileroVad = {
      model: this.files.silero,
      threshold: 0.4,
      minSpeechDuration: 0.1,
      minSilenceDuration: 0.35,
      maxSpeechDuration: 12,
      windowSize: WINDOW,
    };
    return new this.sherpa.Vad({ sileroVad, sampleRate: SAMPLE_RATE, numThreads: 1, provider: 'cpu', debug: 0 }, 60);
  }
}

/** Complete spans of the speech that has been found. */
function spoken(detector: Detector, spans: SpeechSpans): Span[] {
  const complete: Span[] = [];
  for (; !detector.isEmpty(); detector.pop()) {
    const { start, samples } = detector.front(false);
    complete.push(...spans.add({ start, end: start + samples.length }));
  }
  return complete;
}

function padded(samples: Float32Array): Float32Array {
  const whole = new Float32Array(samples.length + 2 * PADDING);
  whole.set(samples, PADDING);
  return whole;
}

function joined(pieces: readonly Float32Array[], length: number): Float32Array {
  const whole = new Float32Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
