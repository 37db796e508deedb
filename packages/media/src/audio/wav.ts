const HEADER = 44;
const CHUNK_HEADER = 8;
/** The sizes of a stream, whose length was not known when its header was written. */
const UNKNOWN = [0, 0xffff_ffff];
const LARGEST = 0xffff_ffff;
/** Chunks that may follow the audio. */
const TRAILERS = /^(LIST|id3 |ID3 |bext|cue |smpl|fact|PEAK|iXML|JUNK|acid|inst|_PMX|cart|note|labl)$/;

/** Encodes a WAV file. @param samples 16-bit mono. @param rate samples per second */
export function wavOf(samples: Int16Array, rate: number): Buffer {
  const wav = Buffer.alloc(HEADER + 2 * samples.length);
  wav.write('RIFF    WAVEfmt \x10\0\0\0\x01\0\x01\0        \x02\0\x10\0data', 'latin1');
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(2 * rate, 28);
  wav.writeUInt32LE(2 * samples.length, 40);
  for (const [n, sample] of samples.entries()) wav.writeInt16LE(sample, HEADER + 2 * n);
  return wav;
}

/**
 * Completes the header of a streamed WAV file, whose sizes were not known when it was written: its audio extends to the
 * end.
 *
 * @returns the same file if it is whole, or is no WAV
 */
export function withKnownSizes(file: Uint8Array): Uint8Array {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const riff = bytes.toString('latin1', 0, 4);
  if (!/^(RIFF|RIFX|RF64)$/.test(riff) || bytes.toString('latin1', 8, 12) !== 'WAVE') return file;
  const isLittle = riff !== 'RIFX';
  const sizeAt = (at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  let at = 12;
  while (at + CHUNK_HEADER <= bytes.length && bytes.toString('latin1', at, at + 4) !== 'data') {
    const size = sizeAt(at + 4);
    at += CHUNK_HEADER + size + (size % 2);
  }
  const start = at + CHUNK_HEADER;
  if (start >= bytes.length) return file;
  const isUnknown = UNKNOWN.includes(sizeAt(at + 4)) && !TRAILERS.test(bytes.toString('latin1', start, start + 4));
  // A 64-bit header has the size elsewhere, unless that one was not completed either.
  const isStreamed = riff === 'RF64' ? isUnknown && !has64BitSize(bytes) : isUnknown || start > sizeAt(4) + 8;
  if (!isStreamed) return file;
  const whole = Buffer.from(bytes);
  const write = (size: number, position: number) =>
    isLittle ? whole.writeUInt32LE(size, position) : whole.writeUInt32BE(size, position);
  if (riff === 'RF64') {
    whole.write('RIFF', 0);
    whole.write('JUNK', 12);
  }
  write(LARGEST, 4);
  if (isUnknown) write(bytes.length - start, at + 4);
  return whole;
}

function has64BitSize(bytes: Buffer): boolean {
  return bytes.toString('latin1', 12, 16) === 'ds64' && bytes.length > 36 && bytes.readBigUInt64LE(28) > 0n;
}
