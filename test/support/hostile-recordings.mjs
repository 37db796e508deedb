/** Values that are wrong for most fields: sizes, counts, rates. */
const HOSTILE = [0, 1, 7, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff];

/**
 * A recording with some fields of its headers changed.
 *
 * @param {Uint8Array} recording
 * @param {number} seed the same one gives the same recording
 */
export function hostile(recording, seed) {
  const random = randomOf(seed);
  const bytes = Buffer.from(recording);
  for (let left = 1 + random(3); left > 0; left--) {
    // Most headers are at the beginning, and those of MP4 may be at the end.
    const near = Math.min(bytes.length - 4, 600);
    const at = random(4) === 0 ? bytes.length - 4 - random(near) : random(near);
    const value = random(4) === 0 ? random(2 ** 32) : HOSTILE[random(HOSTILE.length)];
    const size = [1, 2, 4][random(3)];
    if (random(2)) bytes.writeUIntBE(value % 2 ** (8 * size), at, size);
    else bytes.writeUIntLE(value % 2 ** (8 * size), at, size);
  }
  return random(8) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
}

/** @param {number} state @returns {(below: number) => number} mulberry32 */
function randomOf(state) {
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}
