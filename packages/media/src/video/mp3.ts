import { MPEGDecoder } from 'mpg123-decoder';
import { joined } from '../audio/samples.js';

export interface DecodedAudio {
  readonly samples: Float32Array;
  /** Sample rate in Hz. */
  readonly rate: number;
}

/** Bytes that are decoded at once. */
const PORTION = 65_536;
/** Maximum length of a video, in seconds: a small file may claim hours. */
const MAX_SECONDS = 1200;

/** Decodes an MP3 to mono. @throws Error if it is not an MP3, has no audio, or is too long */
export async function decodeMp3(mp3: Uint8Array): Promise<DecodedAudio> {
  const decoder = new MPEGDecoder();
  try {
    await decoder.ready;
    const pieces: Float32Array[] = [];
    let [length, rate] = [0, 0];
    for (let at = 0; at < mp3.length; at += PORTION) {
      const { channelData, sampleRate } = decoder.decode(mp3.subarray(at, at + PORTION));
      const samples = channelData[0];
      if (!samples?.length) continue;
      pieces.push(samples.slice());
      [length, rate] = [length + samples.length, sampleRate];
      if (length > MAX_SECONDS * rate) throw new Error('The sound is too long');
    }
    if (length === 0) throw new Error('There is no sound');
    return { samples: joined(pieces), rate };
  } finally {
    decoder.free();
  }
}
