import { MPEGDecoder } from 'mpg123-decoder';
import { MonoMix } from './mono.mix.js';
import type { Samples } from './recording.samples.js';
import { joined } from './samples.js';

/** Bytes that are decoded at once. */
const PORTION = 65_536;

/**
 * Decodes an MP3 to mono.
 *
 * @throws Error if it is not an MP3, has no audio, changes its sample rate, or is too long: a small file may claim hours
 */
export async function decodeMp3(mp3: Uint8Array, maxSeconds: number): Promise<Samples> {
  const [decoder, mix, pieces] = [new MPEGDecoder(), new MonoMix(), [] as Float32Array[]];
  try {
    await decoder.ready;
    let [length, rate] = [0, 0];
    for (let at = 0; at < mp3.length; at += PORTION) {
      const { channelData, sampleRate } = decoder.decode(mp3.subarray(at, at + PORTION));
      if (!channelData[0]?.length) continue;
      rate ||= sampleRate;
      length += channelData[0].length;
      if (sampleRate !== rate || length > maxSeconds * rate) throw new Error('The sound cannot be used');
      pieces.push(mix.mix(channelData));
    }
    if (length === 0) throw new Error('There is no sound');
    return { samples: joined(pieces), sampleRate: rate };
  } finally {
    decoder.free();
  }
}
