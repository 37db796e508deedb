import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Detector, PROVIDER, type Sherpa } from './sherpa.library.js';
import { SAMPLE_RATE } from './speech.spans.js';

/** Frame size of Silero in samples: it decides once per call. */
export const WINDOW = 512;
/** Maximum number of pooled detectors. Each takes 3 MB, and a tenth of a second to load. */
const IDLE_LIMIT = 8;

export interface DetectorSettings {
  readonly threshold: number;
  /** Seconds. */
  readonly minSpeechDuration: number;
  readonly minSilenceDuration: number;
  readonly maxSpeechDuration: number;
}

/** Silero's voice activity detection, with one detector for each speaker. */
export class Detectors {
  private readonly idle: { detector: Detector; key: string }[] = [];

  constructor(
    private readonly sherpa: Sherpa,
    /** Silero's model file. */
    private readonly model: string,
  ) {}

  acquireDetector(settings: DetectorSettings): Detector {
    const at = this.idle.findIndex(({ key }) => key === keyOf(settings));
    if (at >= 0) return this.idle.splice(at, 1)[0]!.detector;
    const sileroVad = { model: this.model, windowSize: WINDOW, ...settings };
    return new this.sherpa.Vad({ sileroVad, sampleRate: SAMPLE_RATE, numThreads: 1, provider: PROVIDER, debug: 0 }, 10);
  }

  releaseDetector(detector: Detector, settings: DetectorSettings): void {
    detector.reset();
    this.idle.push({ detector, key: keyOf(settings) });
    if (this.idle.length <= IDLE_LIMIT) return;
    this.idle.shift();
    collectGarbage();
  }
}

/** Frees what native code holds for objects that are gone; V8 only counts the few bytes that it holds itself. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

const keyOf = (settings: DetectorSettings) => JSON.stringify(settings);
