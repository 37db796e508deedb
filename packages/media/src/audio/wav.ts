const HEADER = 44;

/**
 * Encodes a WAV file.
 *
 * @param samples 16-bit mono
 * @param rate samples per second
 */
export function wavOf(samples: Int16Array, rate: number): Buffer {
  const wav = Buffer.alloc(HEADER + 2 * samples.length);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(2 * rate, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(2 * samples.length, 40);
  for (const [n, sample] of samples.entries()) wav.writeInt16LE(sample, HEADER + 2 * n);
  return wav;
}
