import { MPEGDecoder } from 'mpg123-decoder';

export interface DecodedSound {
  readonly samples: Float32Array;
  /** Hz. */
  readonly rate: number;
}

/** One channel of an MP3. @throws Error where it is none, or silent of length 0 */
export async function decodeMp3(mp3: Uint8Array): Promise<DecodedSound> {
  const decoder = new MPEGDecoder();
  try {
    await decoder.ready;
    const { channelData, sampleRate } = decoder.decode(mp3);
    const samples = channelData[0];
    if (!samples?.length) throw new Error('There is no sound');
    return { samples: samples.slice(), rate: sampleRate };
  } finally {
    decoder.free();
  }
}
