const KBITS = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const HERTZ = [44_100, 48_000, 32_000];
/** Bytes without a frame after which no more are looked for. */
const MAX_GAP = 65_536;

/** An MPEG audio layer III frame: its bytes, samples and rate; undefined if there is none. */
export function mp3Frame(
  head: Uint8Array,
  at: number,
): { length: number; samples: number; sampleRate: number } | undefined {
  const [b, c] = [head[at + 1] ?? 0, head[at + 2] ?? 0];
  const version = (b >> 3) & 3;
  const [bitrate, rate] = [c >> 4, (c >> 2) & 3];
  if (head[at] !== 0xff || (b & 0xe6) !== 0xe2 || version === 1 || bitrate === 0 || bitrate === 15 || rate === 3)
    return undefined;
  const mpeg1 = version === 3;
  const sampleRate = HERTZ[rate]! / (mpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = mpeg1 ? 1152 : 576;
  const kbits = KBITS[mpeg1 ? 'mpeg1' : 'mpeg2'][bitrate]!;
  return { length: Math.floor((samples * kbits * 125) / sampleRate) + ((c >> 1) & 1), samples, sampleRate };
}

/** Whether data begins as an MP3 does: with a tag, or two frames, since one may be the samples of other audio. */
export function isMp3(bytes: Uint8Array): boolean {
  const first = mp3Frame(bytes, 0);
  return isTagged(bytes) || (first !== undefined && mp3Frame(bytes, first.length) !== undefined);
}

/** Length of an MP3 in seconds, from its frames; 0 if it has none. */
export function mp3Seconds(bytes: Uint8Array): number {
  let seconds = 0;
  let end = tagLength(bytes);
  // A tag, at either end or in between, is not a frame; sound continues at the next frame.
  for (let at = end; (at = bytes.indexOf(0xff, at)) >= 0 && at - end <= MAX_GAP; at++) {
    const frame = mp3Frame(bytes, at);
    if (!frame) continue;
    seconds += frame.samples / frame.sampleRate;
    end = at + frame.length;
    at = end - 1;
  }
  return seconds;
}

/** Concatenates MP3s of the same voice. Drops tags, and frames that only state the length of a part. */
export function joinMp3(parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts.map(framesOf));
}

function framesOf(bytes: Uint8Array): Uint8Array {
  let start = tagLength(bytes);
  const first = mp3Frame(bytes, start);
  if (first && /Xing|Info|VBRI/.test(Buffer.from(bytes.subarray(start, start + 64)).toString('latin1')))
    start += first.length;
  const end = bytes.length - 128;
  const isTaggedAtEnd = end > start && bytes[end] === 0x54 && bytes[end + 1] === 0x41 && bytes[end + 2] === 0x47; // TAG
  return bytes.subarray(start, isTaggedAtEnd ? end : undefined);
}

function isTagged(bytes: Uint8Array): boolean {
  return bytes[0] === 0x49 && bytes[1] === 0x44 && bytes[2] === 0x33; // ID3
}

/** Bytes of the tag at the beginning. */
export function tagLength(bytes: Uint8Array): number {
  if (!isTagged(bytes) || bytes.length < 10) return 0;
  return 10 + bytes.subarray(6, 10).reduce((length, byte) => (length << 7) + (byte & 127), 0);
}
