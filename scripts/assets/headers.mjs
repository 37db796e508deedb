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

/**
 * Width, height and seconds of a WebM file, or undefined if it is not one.
 *
 * @param mediabunny the optional package
 */
export async function webmInfo({ BufferSource, Input, WEBM }, bytes) {
  const input = new Input({ source: new BufferSource(bytes), formats: [WEBM] });
  try {
    const track = await input.getPrimaryVideoTrack();
    if (!track) return undefined;
    const [width, height] = [await track.getCodedWidth(), await track.getCodedHeight()];
    return { width, height, seconds: await input.computeDuration() };
  } catch {
    return undefined;
  } finally {
    input.dispose();
  }
}
