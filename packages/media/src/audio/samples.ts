import { LIVE_RATE } from './speech.samples.js';

/** Samples on either side that contribute to each new sample. */
const REACH = 12;
/** Fraction of the highest frequency above which audio is dropped to avoid aliasing. */
const PASS = 0.95;
/** Level below which audio counts as silence. */
const SILENCE = 0.02;

/** The range of samples without the silence at both ends; all of them if everything is silent. */
export function audible(sound: Float32Array): [start: number, end: number] {
  const first = sound.findIndex((sample) => Math.abs(sample) > SILENCE);
  return first === -1 ? [0, sound.length] : [first, sound.findLastIndex((sample) => Math.abs(sample) > SILENCE) + 1];
}

/** Samples from -1 to 1 as live audio. */
export function liveSamples(sound: Float32Array, rate: number): Int16Array<ArrayBuffer> {
  const converted = resampled(sound, rate, LIVE_RATE);
  const samples = new Int16Array(converted.length);
  for (let at = 0; at < samples.length; at++)
    samples[at] = Math.round(Math.max(-1, Math.min(1, converted[at]!)) * 32_767);
  return samples;
}

/** 16-bit little-endian; half a sample at the end is dropped. */
export function samplesFrom(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return new Int16Array(bytes.length >> 1).map((_, at) => view.getInt16(2 * at, true));
}

/** Seconds, rounded to milliseconds. */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The sum of the squares. */
export function energyOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum;
}

/** 16-bit samples as values between -1 and 1. */
export function scaled(samples: Int16Array): Float32Array<ArrayBuffer> {
  const result = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at++) result[at] = samples[at]! / 32_768;
  return result;
}

export function joined(pieces: readonly Float32Array[]): Float32Array {
  return joinedIn(new Float32Array(lengthOf(pieces)), pieces);
}

/** @param whole as long as all pieces */
export function joinedIn<T extends Float32Array | Int16Array | Uint8Array>(whole: T, pieces: readonly T[]): T {
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

export function lengthOf(pieces: readonly { readonly length: number }[]): number {
  return pieces.reduce((length, piece) => length + piece.length, 0);
}

/** Resamples by a windowed sinc for each of the positions that a new sample can have between two old ones. */
function resampled(sound: Float32Array, from: number, to: number): Float32Array {
  if (from === to) return sound;
  const divisor = greatestCommonDivisor(from, to);
  const [step, places] = [from / divisor, to / divisor];
  const reach = Math.ceil(REACH * Math.max(1, from / to));
  const filters = Array.from({ length: places }, (_, place) => filter(place / places, reach, Math.min(1, to / from)));
  const padded = new Float32Array(sound.length + 2 * reach);
  padded.set(sound, reach);
  const result = new Float32Array(Math.floor((sound.length * to) / from));
  for (let at = 0, place = 0, first = 1; at < result.length; at++) {
    const weights = filters[place]!;
    let sum = 0;
    for (let tap = 0; tap < weights.length; tap++) sum += weights[tap]! * padded[first + tap]!;
    result[at] = sum;
    place += step;
    while (place >= places) {
      place -= places;
      first++;
    }
  }
  return result;
}

/**
 * @param place of the new sample, from 0 to 1 between the old ones `reach - 1` and `reach`. @param band fraction of the
 *   old frequencies to keep
 */
function filter(place: number, reach: number, band: number): Float32Array {
  const weights = new Float32Array(2 * reach).map((_, tap) => {
    const distance = tap - reach + 1 - place;
    const x = Math.PI * distance * band * PASS;
    return (x === 0 ? 1 : Math.sin(x) / x) * Math.cos((Math.PI * distance) / (2 * reach)) ** 2;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));
