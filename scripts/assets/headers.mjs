/** The size in a WebP file's header, or undefined if it is not a WebP file. */
export function webpSize(bytes) {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  if (kind !== 'VP8L') return undefined;
  const bits = bytes.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
}

/** The size in an SVG file's viewBox, or undefined without one. */
export function svgSize(text) {
  const [, width, height] = /^<svg [^>]*viewBox="\S+ \S+ (\S+) (\S+)"/.exec(text) ?? [];
  return width === undefined ? undefined : { width: Number(width), height: Number(height) };
}

// EBML element ids from the Matroska specification.
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const VIDEO = 0xe0;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
const CONTAINERS = new Set([SEGMENT, INFO, TRACKS, TRACK_ENTRY, VIDEO]);
const EBML_MAGIC = 0x1a45dfa3;

/** A variable-length EBML number: the leading zeros of the first byte give its length; ids keep the length bit, sizes do not. */
function vint(bytes, at, keepLengthBit) {
  const length = Math.clz32(bytes[at]) - 23;
  const first = keepLengthBit ? bytes[at] : bytes[at] & (0xff >> length);
  return { length, value: bytes.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, first) };
}

function* elements(bytes, start, end) {
  for (let at = start; at < end;) {
    const id = vint(bytes, at, true);
    const size = vint(bytes, at + id.length, false);
    const from = at + id.length + size.length;
    // A size of all ones means "to the end", as in live recordings.
    at = Math.min(size.value === 2 ** (7 * size.length) - 1 ? end : from + size.value, end);
    if (CONTAINERS.has(id.value)) yield* elements(bytes, from, at);
    else yield { id: id.value, body: bytes.subarray(from, at) };
  }
}

/** Width, height and seconds (undefined if absent) in a WebM file's header; undefined if it is not a WebM file. */
export function webmInfo(bytes) {
  if (bytes.length < 4 || bytes.readUInt32BE(0) !== EBML_MAGIC) return undefined;
  const found = new Map();
  for (const { id, body } of elements(bytes, 0, bytes.length)) if (!found.has(id)) found.set(id, body);
  const integer = (id) => (found.has(id) ? found.get(id).readUIntBE(0, found.get(id).length) : undefined);
  const ticks = found.get(DURATION);
  const scale = integer(TIMESTAMP_SCALE) ?? 1_000_000;
  const count = ticks && (ticks.length === 8 ? ticks.readDoubleBE(0) : ticks.readFloatBE(0));
  return { width: integer(PIXEL_WIDTH), height: integer(PIXEL_HEIGHT), seconds: count && (count * scale) / 1e9 };
}
