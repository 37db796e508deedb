import { energyOf, scaled } from '../../audio/samples.js';
import { LIVE_RATE } from '../../audio/speech.samples.js';
import { SampleBuffer } from '../sample.buffer.js';

/** Samples of the avatar's voice that are kept: what may still be heard of it. */
const PLAYED = 4 * LIVE_RATE;
/** Samples of what was heard last: beginnings of speech are reported late. */
const HEARD = 2 * LIVE_RATE;
/** Samples of the beginning of what sounds like speech, by which an echo is recognized. */
const WINDOW = 0.3 * LIVE_RATE;
/** Samples that are added up to find the delay. */
const COARSE = 12;
/** Length of the room's response, and how much of it comes before the delay that was found. */
const TAPS = 256;
const EARLY = 48;
/** Samples that are decided together. */
const BLOCK = LIVE_RATE / 100;
/** Least energy of a sample that may be an echo. */
const AUDIBLE = 1e-6;
/** Fractions of the energy that the avatar's voice explains: of a candidate, in a longer and a shorter window, and of an echo. */
const LIKELY = { long: 0.2, short: 0.5 };
const ECHO = 0.7;
/** Fractions of the energy below which the rest of an echo is silence, and so little that there is nothing to learn. */
const REST = 0.2;
const LITTLE = 0.02;
/** Step of the adaptation, and how often it goes over the window at first. */
const STEP = 0.5;
const PASSES = 3;

/**
 * Removes the avatar's own voice from what a microphone hears next to a loudspeaker. It does so only once something that
 * sounds like speech is found to be an echo: headphones, and clients that cancel echoes, cost nothing.
 */
export class EchoFilter {
  private readonly played = new SampleBuffer(PLAYED);
  private readonly heard = new SampleBuffer(HEARD);
  private lastPlayed = -Infinity;
  /** The echo: by how many samples it is behind, and the response of the room. */
  private path?: { readonly delay: number; readonly weights: Float32Array };
  private before = 0;
  private after = 0;

  /** The avatar's voice, when it is sent. @param goesOn whether it is played without a pause after what was sent before */
  play(samples: Int16Array, goesOn: boolean): void {
    // The silence before it may be a part of the window.
    if (!goesOn) this.played.append(new Float32Array(WINDOW));
    this.played.append(scaled(samples));
    this.lastPlayed = this.heard.end;
  }

  /** @param samples as they were heard. @returns the same without the echo that was found */
  clean(samples: Int16Array): Int16Array {
    const start = this.heard.end;
    this.heard.append(scaled(samples));
    const { path } = this;
    if (!path) return samples;
    const cleaned = Int16Array.from(samples);
    for (let at = 0; at < samples.length; at += BLOCK) {
      const part = this.after / this.before;
      const step = part < REST && part > LITTLE ? STEP : 0;
      const rest = this.adapt(path, start + at, Math.min(BLOCK, samples.length - at), step);
      if (!rest) continue;
      const heard = this.heard.from(start + at).subarray(0, rest.length);
      this.before = 0.7 * this.before + energyOf(heard);
      this.after = 0.7 * this.after + energyOf(rest);
      if (this.after >= this.before) continue;
      const isEcho = this.after < REST * this.before;
      for (const [n, sample] of rest.entries())
        cleaned[at + n] = isEcho ? 0 : Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
    }
    return cleaned;
  }

  /** Whether what is heard is the avatar's voice: from now on it is removed. @param from its beginning, in samples since the first */
  findEcho(from: number): boolean {
    if (this.heard.end - this.lastPlayed > PLAYED) return false;
    const start = Math.max(from, this.heard.start);
    const length = Math.min(WINDOW, this.heard.end - start);
    // Playback may have stood still within the window.
    const half = length >> 1;
    return this.matches(start, length, LIKELY.long) || this.matches(start + half, length - half, LIKELY.short);
  }

  private matches(start: number, length: number, likely: number): boolean {
    const window = this.heard.from(start).subarray(0, length);
    if (length < TAPS || energyOf(window) < AUDIBLE * length) return false;
    const delay = this.findDelay(window, start, likely);
    if (delay === undefined) return false;
    const path = { delay, weights: new Float32Array(TAPS) };
    let rest: Float32Array | undefined;
    for (let pass = 0; pass <= PASSES; pass++) rest = this.adapt(path, start, length, pass < PASSES ? STEP : 0);
    if (!rest || energyOf(rest) > (1 - ECHO) * energyOf(window)) return false;
    [this.path, this.before, this.after] = [path, energyOf(window), energyOf(rest)];
    return true;
  }

  /** By how many samples the window is behind the part of the avatar's voice that is most like it. */
  private findDelay(window: Float32Array, start: number, likely: number): number | undefined {
    const [wanted, played] = [coarse(window), coarse(this.played.from(this.played.start))];
    const loudness = energyOf(wanted);
    let [best, at] = [likely * loudness, -1];
    let power = energyOf(played.subarray(0, wanted.length));
    for (let lag = 0; lag + wanted.length <= played.length; lag++) {
      let product = 0;
      for (let n = 0; n < wanted.length; n++) product += wanted[n]! * played[lag + n]!;
      if (product * product > best * power) [best, at] = [(product * product) / power, lag];
      power += (played[lag + wanted.length] ?? 0) ** 2 - played[lag]! ** 2;
    }
    return at < 0 ? undefined : start - (this.played.start + at * COARSE);
  }

  /**
   * Subtracts the echo from what was heard, and adapts the response to the rest (normalized least mean squares).
   *
   * @returns the rest; undefined if the avatar said nothing at that time
   */
  private adapt(
    { delay, weights }: { delay: number; weights: Float32Array },
    start: number,
    length: number,
    step: number,
  ): Float32Array | undefined {
    const first = start - delay + EARLY - TAPS + 1;
    if (first < this.played.start || first + length + TAPS - 1 > this.played.end) return undefined;
    const [voice, heard] = [this.played.from(first), this.heard.from(start)];
    const rest = new Float32Array(length);
    let power = energyOf(voice.subarray(0, TAPS - 1));
    for (let n = 0; n < length; n++) {
      let echo = 0;
      for (let tap = 0; tap < TAPS; tap++) echo += weights[tap]! * voice[n + tap]!;
      power += voice[n + TAPS - 1]! ** 2;
      const error = heard[n]! - echo;
      rest[n] = error;
      if (step > 0) {
        const change = (step * error) / (power + 1e-3);
        for (let tap = 0; tap < TAPS; tap++) weights[tap]! += change * voice[n + tap]!;
      }
      power -= voice[n]! ** 2;
    }
    return rest;
  }
}

function coarse(sound: Float32Array): Float32Array {
  return Float32Array.from({ length: Math.floor(sound.length / COARSE) }, (_, at) => {
    let sum = 0;
    for (let n = at * COARSE; n < (at + 1) * COARSE; n++) sum += sound[n]!;
    return sum;
  });
}
