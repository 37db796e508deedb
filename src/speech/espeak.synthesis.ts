import type { PhonemeTime, Speech } from './speaker.js';

/** The thread's exit code where the optional packages are not installed. */
export const PACKAGES_ABSENT = 69;

/** What the thread is asked for. */
export interface SynthesisJob {
  readonly text: string;
  /** Voices to try, the best first. */
  readonly voices: readonly string[];
  /** Words a minute. */
  readonly rate: number;
  /** 0–99; 50 is usual. */
  readonly pitch: number;
}

// The parts of two optional packages that are used here; they may not be installed, so neither may their types.
interface Espeak {
  /** @returns 0 where it has such a voice */
  set_voice(name: string): number;
  set_rate(wordsPerMinute: number): void;
  set_pitch(pitch: number): void;
  /** Calls back with about 100 ms of sound at a time; true ends it. */
  synthesize(text: string, onSound: (samples: Int16Array, events: EspeakEvent[]) => boolean): void;
}
interface EspeakEvent {
  type: string;
  /** IPA, of a phoneme; empty for a pause. */
  id?: string | number;
  /** Milliseconds. */
  audio_position: number;
}
interface Mp3Encoder {
  configure(options: { channels: 1; sampleRate: number; bitrate: number }): void;
  /** @returns bytes that are overwritten by the next call */
  encode(channels: readonly Float32Array[]): Uint8Array;
  finalize(): Uint8Array;
}

// Names in variables, so that the compiler does not ask for what may not be there.
const ESPEAK: string = '@echogarden/espeak-ng-emscripten';
const ENCODERS: string = 'wasm-media-encoders';

const SAMPLE_RATE = 22_050;
/** kbit/s, all along */
const BITRATE = 48;
/** Seconds of silence that MP3 has before what was encoded: 1105 samples, of the encoder and the decoder together. */
const MP3_DELAY = 1105 / SAMPLE_RATE;

/**
 * Loads the synthesizer, which takes about 100 ms and 100 MB.
 *
 * @throws Error with the code `ERR_MODULE_NOT_FOUND` where the optional packages are not installed
 */
export async function createSynthesizer() {
  const [{ default: load }, { createMp3Encoder }] = await Promise.all([import(ESPEAK), import(ENCODERS)]);
  const espeak = new (await load()).eSpeakNGWorker() as Espeak;
  const encoder = (await createMp3Encoder()) as Mp3Encoder;

  /** @returns undefined where there is no such voice, nothing to be heard, or `isCancelled` said so */
  return function synthesize(job: SynthesisJob, isCancelled: () => boolean): Speech | undefined {
    if (!job.voices.some((voice) => espeak.set_voice(voice) === 0)) return undefined;
    espeak.set_rate(job.rate);
    espeak.set_pitch(job.pitch);
    encoder.configure({ channels: 1, sampleRate: SAMPLE_RATE, bitrate: BITRATE });
    const events: EspeakEvent[] = [];
    const mp3: Uint8Array[] = [];
    let samples = 0;
    espeak.synthesize(job.text, (sound, heard) => {
      samples += sound.length;
      events.push(...heard);
      mp3.push(encoder.encode([scaled(sound)]).slice());
      return isCancelled();
    });
    mp3.push(encoder.finalize().slice());
    const phonemes = phonemeTimes(events, samples / SAMPLE_RATE);
    if (isCancelled() || phonemes.length === 0) return undefined;
    const audio = joined(mp3);
    return { audio, content_type: 'audio/mpeg', seconds: rounded((audio.length * 8) / (BITRATE * 1000)), phonemes };
  };
}

/** A phoneme lasts until the next, or a pause, begins. */
function phonemeTimes(events: readonly EspeakEvent[], end: number): PhonemeTime[] {
  const sounds = events.filter(({ type }) => type === 'phoneme' || type === 'end');
  return sounds.flatMap(({ id, audio_position }, index) => {
    const [start, next] = [audio_position / 1000, (sounds[index + 1]?.audio_position ?? end * 1000) / 1000];
    // Stress is not seen on lips; what is in brackets is a change of language.
    const phoneme = typeof id === 'string' ? id.replace(/\([^()]*\)|[ˈˌ]/g, '') : '';
    return phoneme && next > start
      ? [{ phoneme, start: rounded(start + MP3_DELAY), end: rounded(next + MP3_DELAY) }]
      : [];
  });
}

/** Sixteen bits to what lies between -1 and 1. */
function scaled(samples: Int16Array): Float32Array {
  const result = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at++) result[at] = samples[at]! / 32_768;
  return result;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
