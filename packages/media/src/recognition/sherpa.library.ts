import { fileURLToPath } from 'node:url';

/** The used part of sherpa-onnx-node, which has no types. */
export interface Sherpa {
  OfflineRecognizer: new (config: object) => OfflineRecognizer;
  Vad: new (config: object, bufferSeconds: number) => Detector;
  OfflineTts: new (config: object) => Voice;
  LinearResampler: new (from: number, to: number) => Resampler;
}
interface OfflineRecognizer {
  createStream(): Stream;
  /** Runs in a thread of the library. */
  decodeAsync(stream: Stream): Promise<{ text: string; lang?: string }>;
}
export interface Voice {
  generate(request: object): { samples: Float32Array };
}
interface Stream {
  acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void;
}
/** Voice activity detection. */
export interface Detector {
  acceptWaveform(samples: Float32Array): void;
  isDetected(): boolean;
  isEmpty(): boolean;
  front(externalBuffer: boolean): { start: number; samples: Float32Array };
  pop(): void;
  flush(): void;
  reset(): void;
}
export interface Resampler {
  resample(samples: Float32Array): Float32Array;
  flush(samples: Float32Array): Float32Array;
}

const SHERPA: string = 'sherpa-onnx-node';

/** The provider that runs a model, with its settings. */
export const PROVIDER = `cpu:${fileURLToPath(new URL('../../assets/onnxruntime.conf', import.meta.url))}`;

/** @throws Error with the code `ERR_MODULE_NOT_FOUND` if the optional package is not installed */
export async function loadSherpa(): Promise<Sherpa> {
  return ((await import(SHERPA)) as { default: Sherpa }).default;
}
