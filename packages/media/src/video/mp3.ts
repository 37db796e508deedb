import { MPEGDecoder } from 'mpg123-decoder';

export interface DecodedAudio {
  readonly samples: Float32Array;
  /** Sample rate in Hz. */
  readonly rate: number;
}

/** Decodes an MP3 to mono. @throws Error if it is not an MP3, or has no audio */
export async function decodeMp3(mp3: Uint8Array): Promise<DecodedAudio> {
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
