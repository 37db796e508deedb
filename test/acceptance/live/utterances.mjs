/** The audio for the live mode: questions in synthetic voices, sentences read by people, and non-speech sounds. */
import { humanRecordings, spoken } from '../speech.recordings.mjs';
import { RATE } from './client.mjs';

/** Relative to the loudest part: anything louder counts as speech. */
const SPEECH = 0.06;
const FRAME = RATE / 50;
/** Sixteen bits. */
const LOUD = 9000;

/**
 * @typedef {{ words: string, samples: Int16Array }} Utterance without silence at its ends
 *
 * @param {number[] | Int16Array} samples @param {number} rate
 */
export function resampled(samples, rate) {
  const result = new Int16Array(Math.floor((samples.length * RATE) / rate));
  for (let at = 0; at < result.length; at++) {
    const place = (at * rate) / RATE;
    const [before, part] = [Math.floor(place), place % 1];
    result[at] = (samples[before] ?? 0) * (1 - part) + (samples[before + 1] ?? 0) * part;
  }
  return result;
}

/** Trims the audio before and after the speech. @param {Int16Array} samples */
export function trimmed(samples) {
  const frames = Array.from({ length: Math.floor(samples.length / FRAME) }, (_, at) =>
    Math.sqrt(samples.subarray(at * FRAME, (at + 1) * FRAME).reduce((sum, one) => sum + one * one, 0) / FRAME),
  );
  const loud = frames.toSorted((one, other) => other - one)[Math.floor(frames.length / 20)] ?? 0;
  const isSpeech = (/** @type {number} */ level) => level > SPEECH * loud;
  return samples.slice(frames.findIndex(isSpeech) * FRAME, (frames.findLastIndex(isSpeech) + 1) * FRAME);
}

/** A synthetic voice. @param {string} words @param {string} [voice] @returns {Promise<Utterance>} */
export async function asked(words, voice = 'en-us') {
  const { samples, rate } = await spoken(words, voice);
  return { words, samples: trimmed(resampled(samples, rate)) };
}

/** Sentences read by people, of three seconds or more, without long pauses. @param {string} directory @returns {Promise<Utterance[]>} */
export async function read(directory) {
  const recordings = await humanRecordings(directory);
  return recordings
    .slice(1)
    .map(({ words, wav }) => {
      const bytes = wav.subarray(44, wav.length - (wav.length % 2));
      const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
      return { words, samples: trimmed(resampled(samples, wav.readUInt32LE(24))) };
    })
    .filter(({ samples }) => samples.length > 2.4 * RATE);
}

/** Concatenates parts with a pause in between. @param {Int16Array[]} parts @param {number} [pauseMs] */
export function joined(parts, pauseMs = 0) {
  const pause = (pauseMs / 1000) * RATE;
  const all = new Int16Array(parts.reduce((length, part) => length + part.length + pause, -pause));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length + pause;
  }
  return all;
}

const sound = (/** @type {number} */ ms, /** @type {() => number} */ level) =>
  Int16Array.from({ length: (ms / 1000) * RATE }, level);
const white = () => (Math.random() * 2 - 1) * LOUD;
/** Non-speech sounds. */
export const NOISE = sound(1500, white);
export const CLICK = sound(100, white);
