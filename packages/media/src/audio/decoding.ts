import { LIVE_RATE, type SpeechSamples, type WordTime, type Speech } from './speech.samples.js';
import { DecodingError, DecodingWorkerClient } from './decoding.worker-client.js';
import { audible, scaled } from './samples.js';
import { SpeechError } from '../speech.error.js';
import { estimatedWords } from '../text/words.js';

/** Maximum length of a sentence, in seconds. */
const MAX_SECONDS = 120;
const MAX_RECORDING_SECONDS = 3600;
const ABSENT = 'Live speech of this speaker needs the optional packages mediabunny and mpg123-decoder.';

const decoding = new DecodingWorkerClient();

/** Decodes a file of synthesized speech, with estimated word timings. @throws SpeechError if it cannot be decoded */
export async function decoded(
  { audio, phonemes }: Pick<Speech, 'audio' | 'phonemes'>,
  text: string,
): Promise<SpeechSamples> {
  const samples = await decoding.decodeSpeech(audio, MAX_SECONDS).catch((error: unknown) => {
    const isAbsent = error instanceof DecodingError && error.isPackageAbsent;
    throw new SpeechError(isAbsent ? ABSENT : 'The speech cannot be decoded.');
  });
  const inside = phonemes.filter(({ end }) => end <= samples.length / LIVE_RATE);
  const [first, last] = [inside[0], inside.at(-1)];
  const words =
    first && last
      ? estimatedWords(text, { start: first.start, end: last.end })
      : heardWords(text, scaled(samples), LIVE_RATE);
  return { samples, phonemes: inside, words };
}

/** Length of a recording's audio, or of its beginning up to an hour or an abort, in seconds; 0 if nothing can be decoded. */
export async function secondsIn(recording: Uint8Array, signal: AbortSignal): Promise<number> {
  let seconds = 0;
  try {
    for await (const chunks of decoding.decodeRecording(recording)) {
      for (const { samples, sampleRate } of chunks) seconds += samples.length / sampleRate;
      if (signal.aborted || seconds > MAX_RECORDING_SECONDS) break;
    }
  } catch {
    // Packages are missing.
  }
  return seconds;
}

/** Estimated word timings: between the silences at both ends of the audio. */
export function heardWords(text: string, sound: Float32Array, rate: number): WordTime[] {
  const [start, end] = audible(sound);
  return estimatedWords(text, { start: start / rate, end: end / rate });
}
