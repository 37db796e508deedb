const KBITS = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const HERTZ = [44_100, 48_000, 32_000];

/** An MPEG audio layer III frame: its bytes, samples and rate; undefined if there is none. */
export function mp3Frame(
  head: Uint8Array,
  at: number,
): { length: number; samples: number; sampleRate: number } | undefined {
  const [a = 0, b = 0, c = 0] = head.subarray(at, at + 3);
  const version = (b >> 3) & 3;
  const [bitrate, rate] = [c >> 4, (c >> 2) & 3];
  if (a !== 0xff || (b & 0xe6) !== 0xe2 || version === 1 || bitrate === 0 || bitrate === 15 || rate === 3)
    return undefined;
  const mpeg1 = version === 3;
  const sampleRate = HERTZ[rate]! / (mpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = mpeg1 ? 1152 : 576;
  const kbits = KBITS[mpeg1 ? 'mpeg1' : 'mpeg2'][bitrate]!;
  return { length: Math.floor((samples * kbits * 125) / sampleRate) + ((c >> 1) & 1), samples, sampleRate };
}

/** Length of an MP3 in seconds, from its frames; 0 if it has none. */
export function mp3Seconds(bytes: Uint8Array): number {
  let seconds = 0;
  for (let at = 0; at + 4 <= bytes.length;) {
    const frame = mp3Frame(bytes, at);
    // A tag, at either end or in between, is not a frame; sound continues at the next frame.
    at += frame?.length ?? 1;
    if (frame) seconds += frame.samples / frame.sampleRate;
  }
  return seconds;
}

/** Concatenates MP3s of the same voice. Drops tags, and frames that only state the length of a part. */
export function joinMp3(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts.map(framesOf));
}

function framesOf(bytes: Uint8Array): Uint8Array {
  let start = 0;
  const isTagged = bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33; // ID3
  if (isTagged && bytes.length >= 10)
    start = 10 + ((bytes[6]! & 127) << 21) + ((bytes[7]! & 127) << 14) + ((bytes[8]! & 127) << 7) + (bytes[9]! & 127);
  const first = mp3Frame(bytes, start);
  if (first && /Xing|Info|VBRI/.test(Buffer.from(bytes.subarray(start, start + 64)).toString('latin1')))
    start += first.length;
  const end = bytes.length - 128;
  const isTaggedAtEnd = end > start && bytes[end] === 0x54 && bytes[end + 1] === 0x41 && bytes[end + 2] === 0x47; // TAG
  return bytes.subarray(start, isTaggedAtEnd ? end : undefined);
}
