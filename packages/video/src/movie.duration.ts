/** Boxes around those that are changed, and which of them become longer. */
const CONTAINERS = ['moov', 'trak', 'mdia', 'mvex'];
const LONGER = ['moov', 'mvex'];
/** Offsets in `mvhd` and `mdhd`, of version 0 or 1, after the header of the box: the time scale, and the duration. */
const OFFSETS = [
  { timescale: 12, duration: 16, bytes: 4 },
  { timescale: 20, duration: 24, bytes: 8 },
] as const;
const MEHD_SIZE = 16;

/**
 * The beginning of a fragmented MP4 with the duration of the whole: without it, players take that of the fragments that
 * they have got so far.
 */
export function withDuration(piece: Uint8Array, seconds: number): Uint8Array {
  const bytes = Buffer.from(piece);
  let [timescale, mvex] = [1, -1];
  const sizes: number[] = [];
  const walk = (start: number, end: number) => {
    for (let at = start; at + 8 <= end; at += Math.max(8, bytes.readUInt32BE(at))) {
      const type = bytes.toString('latin1', at + 4, at + 8);
      // Chromium takes the longest of the tracks, others that of the movie or of its fragments.
      if (type === 'mvhd') timescale = setDuration(bytes.subarray(at + 8), seconds);
      if (type === 'mdhd') setDuration(bytes.subarray(at + 8), seconds);
      if (type === 'mvex') mvex = at;
      if (!CONTAINERS.includes(type)) continue;
      if (LONGER.includes(type)) sizes.push(at);
      walk(at + 8, at + bytes.readUInt32BE(at));
    }
  };
  walk(0, bytes.length);
  if (mvex < 0) return piece;
  for (const at of sizes) bytes.writeUInt32BE(bytes.readUInt32BE(at) + MEHD_SIZE, at);
  const mehd = Buffer.alloc(MEHD_SIZE);
  mehd.writeUInt32BE(MEHD_SIZE);
  mehd.write('mehd', 4);
  mehd.writeUInt32BE(Math.round(seconds * timescale), 12);
  return Buffer.concat([bytes.subarray(0, mvex + 8), mehd, bytes.subarray(mvex + 8)]);
}

/**
 * The end of a fragmented MP4 without its index of fragments, whose offsets are not those of {@link withDuration}. Nobody
 * needs it in a stream.
 */
export function withoutFragmentIndex(piece: Uint8Array): Uint8Array {
  const bytes = Buffer.from(piece);
  const at = bytes.lastIndexOf('mfra') - 4;
  if (at >= 0 && at + bytes.readUInt32BE(at) === bytes.length) bytes.write('free', at + 4);
  return bytes;
}

/** @returns the time scale */
function setDuration(header: Buffer, seconds: number): number {
  const { timescale, duration, bytes } = OFFSETS[header[0] === 1 ? 1 : 0];
  const units = header.readUInt32BE(timescale);
  if (bytes === 4) header.writeUInt32BE(Math.round(seconds * units), duration);
  else header.writeBigUInt64BE(BigInt(Math.round(seconds * units)), duration);
  return units;
}
