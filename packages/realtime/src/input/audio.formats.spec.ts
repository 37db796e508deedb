import { AudioDecoder, encodeAudio, fromBase64, PCM, PCMA, PCMU } from './audio.formats.js';

/** A 300 Hz tone of a tenth of a second at 24 kHz. */
const tone = Int16Array.from({ length: 2400 }, (_, at) =>
  Math.round(12_000 * Math.sin((2 * Math.PI * 300 * at) / 24_000)),
);

describe('PCM audio', () => {
  it('round-trips, in chunks of any size', () => {
    const bytes = encodeAudio(tone, PCM);
    const decoder = new AudioDecoder(PCM);
    const pieces = [0, 1, 2, 5, 1000, 1001, bytes.length].map((at, n, cuts) => bytes.subarray(cuts[n - 1] ?? 0, at));
    expect(pieces.flatMap((piece) => [...decoder.decode(piece)])).toEqual([...tone]);
  });
});

describe('G.711 audio', () => {
  it.each([PCMU, PCMA])('has one byte for three samples, and sounds the same: $type', (format) => {
    const bytes = encodeAudio(tone, format);
    expect(bytes).toHaveLength(800);
    const heard = new AudioDecoder(format).decode(bytes);
    expect(heard).toHaveLength(2400);
    // The output is delayed by two samples, and differs by less than a twentieth of the tone.
    const off = [...heard].slice(12).map((sample, at) => Math.abs(sample - tone[at + 12 - 1]!));
    expect(Math.max(...off)).toBeLessThan(1500);
  });

  it.each([
    [0, 0xff],
    [32_767, 0x80],
    [-32_768, 0x00],
  ])('of %d is %d, as in the standard', (sample, byte) => {
    expect([...encodeAudio(Int16Array.of(sample, sample, sample), PCMU)]).toEqual([byte]);
  });
});

it.each([
  [0, 213],
  [-1, 85],
  [100, 211],
  [-100, 83],
  [1000, 250],
  [-1000, 122],
  [8000, 138],
  [-8000, 10],
  [32767, 170],
  [-32768, 42],
])('in A-law %d is %d, as in the standard', (sample, byte) => {
  expect([...encodeAudio(Int16Array.of(sample, sample, sample), PCMA)]).toEqual([byte]);
});

it.each([
  [213, 8],
  [85, -8],
  [170, 32256],
  [42, -32256],
  [128, 5504],
  [63, -13568],
])('the A-law byte %d is %d, as in the standard', (byte, sample) => {
  expect(new AudioDecoder(PCMA).decode(Buffer.of(byte)).at(-1)).toBe(sample);
});

it.each([
  ['', 0],
  ['AAAA', 3],
  ['AA==', 1],
  ['AAA', 2],
  ['_-__', 3],
])('base64 %j is %d bytes', (text, length) => {
  expect(fromBase64(text)).toHaveLength(length);
});

it.each(['A', 'AAAAA', 'A A=', '%%%%', 'AA=A', 'AAAA===='])('%j is not base64', (text) => {
  expect(fromBase64(text)).toBeUndefined();
});
