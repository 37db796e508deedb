import { joined } from '../audio/samples.js';
import { DecodingWorkerClient } from '../audio/decoding.worker-client.js';
import type { Decodes } from './decode.queue.js';
import { type Detectors, WINDOW } from './detectors.js';
import type { Detector, Resampler, Sherpa } from './sherpa.library.js';
import { SampleBuffer } from './sample.buffer.js';
import { SAMPLE_RATE, type Span, SpeechSpans } from './speech.spans.js';

/** Maximum length of a recording that is transcribed, in seconds. */
const LIMIT_SECONDS = 600;
/** Samples after which other jobs get their turn. */
const STEP = SAMPLE_RATE;
/** Samples to keep, since they may turn out to be speech. */
const LOOK_BACK = 2 * SAMPLE_RATE;
/** Padding with silence, in samples: it makes 7 of 100 words more correct, since beginnings are no longer missed. */
const PADDING = 0.2 * SAMPLE_RATE;
/** A step without enough audio yet. */
const NOTHING = new Float32Array(0);

export interface Transcript {
  readonly text: string;
  readonly seconds: number;
  readonly language?: string | undefined;
}

const decoding = new DecodingWorkerClient();

const DETECTION = { threshold: 0.4, minSpeechDuration: 0.1, minSilenceDuration: 0.35, maxSpeechDuration: 12 };

/**
 * Transcribes a recording, up to ten minutes. Yields after each step, so that several recordings can take turns. A damaged recording ends where the damage starts.
 *
 * @returns the words, or nothing, and the length of what was heard
 */
export async function* transcribe(
  recording: Uint8Array,
  sherpa: Sherpa,
  detectors: Detectors,
  decodes: Decodes,
): AsyncGenerator<void, Transcript> {
  const detector = detectors.acquireDetector(DETECTION);
  const [sound, spans, words] = [new SampleBuffer(), new SpeechSpans(), [] as string[]];
  const recognize = async function* (complete: Span[]): AsyncGenerator<void> {
    for (const { start, end } of complete) {
      const job = decodes.add(sound.slice(start, end, PADDING, PADDING), 'recording');
      const text = await job.text;
      if (text) words.push(text);
      language = job.language ?? language;
      yield;
    }
  };
  let language: string | undefined;
  let quiet = 0;
  try {
    for await (const piece of resampled(recording, sherpa)) {
      sound.append(piece);
      // It decides once per call.
      for (let at = 0; at < piece.length; at += WINDOW) detector.acceptWaveform(piece.subarray(at, at + WINDOW));
      yield* recognize(spoken(detector, spans));
      if (!detector.isDetected()) quiet = sound.end - LOOK_BACK;
      sound.dropBefore(Math.min(quiet, spans.pendingStart ?? quiet));
      yield;
    }
    detector.flush();
    yield* recognize([...spoken(detector, spans), ...spans.completeSpan(sound.end)]);
    return { text: words.join(' '), seconds: sound.end / SAMPLE_RATE, language };
  } finally {
    detectors.releaseDetector(detector, DETECTION);
  }
}

/** The audio of a recording at the models' sample rate, in steps, some of them empty, up to the limit or the damage. */
async function* resampled(recording: Uint8Array, sherpa: Sherpa): AsyncGenerator<Float32Array> {
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
  for await (const chunks of decoding.decodeRecording(recording)) {
    for (const { samples, sampleRate } of chunks) {
      if (sampleRate !== rate) {
        rate = sampleRate;
        resampler = rate === SAMPLE_RATE ? undefined : new sherpa.LinearResampler(rate, SAMPLE_RATE);
      }
      add(resampler ? resampler.resample(samples) : samples);
    }
    if (length < STEP && left > 0) yield NOTHING;
    else {
      yield joined(step);
      [step, length] = [[], 0];
    }
    if (left === 0) return;
  }
  if (resampler) add(resampler.flush(new Float32Array(1)));
  yield joined(step);
}

/** Complete spans of detected speech. */
function spoken(detector: Detector, spans: SpeechSpans): Span[] {
  const complete: Span[] = [];
  for (; !detector.isEmpty(); detector.pop()) {
    const { start, samples } = detector.front(false);
    complete.push(...spans.add({ start, end: start + samples.length }));
  }
  return complete;
}
