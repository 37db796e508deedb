import { LIVE_RATE, type SpeechSamples, type WordTime } from './speech.samples.js';
import { audible, liveSamples } from './samples.js';
import type { Speech } from '../synthesis/speech.js';
import { SpeechError } from '../speech.error.js';
import { estimatedWords } from '../text/words.js';

/**
 * Decodes a file of synthesized speech, with estimated word timings.
 *
 * @throws SpeechError if it cannot be decoded
 */
export async function decoded(
  { audio, phonemes }: Pick<Speech, 'audio' | 'phonemes'>,
  text: string,
): Promise<SpeechSamples> {
  const { channelData, sampleRate } = await decodedMp3(audio);
  const [channel] = channelData;
  if (!channel?.length) throw new SpeechError('The speech cannot be decoded.');
  const samples = liveSamples(channel, sampleRate);
  const seconds = samples.length / LIVE_RATE;
  const inside = phonemes.filter(({ end }) => end <= seconds);
  const [first, last] = [inside[0], inside.at(-1)];
  const words =
    first && last ? estimatedWords(text, { start: first.start, end: last.end }) : heardWords(text, channel, sampleRate);
  return { samples, phonemes: inside, words };
}

/** Estimated word timings: between the silences at both ends of the audio. */
export function heardWords(text: string, sound: Float32Array, rate: number): WordTime[] {
  const [start, end] = audible(sound);
  return estimatedWords(text, { start: start / rate, end: end / rate });
}

async function decodedMp3(audio: Uint8Array) {
  // An optional dependency.
  const { MPEGDecoder } = await import('mpg123-decoder').catch(() => {
    throw new SpeechError('Live speech of this speaker needs the optional package mpg123-decoder.');
  });
  const decoder = new MPEGDecoder();
  try {
    await decoder.ready;
    return decoder.decode(audio);
  } catch {
    throw new SpeechError('The speech cannot be decoded.');
  } finally {
    decoder.free();
  }
}
