import { mp3Seconds } from './mp3.frames.js';

/** Silence: 48 kbit/s at 22,050 Hz, 156 bytes and 576 samples per frame. */
const frames = (count: number) =>
  Buffer.concat(
    Array.from({ length: count }, () => Buffer.concat([Buffer.from([0xff, 0xf3, 0x60, 0xc4]), Buffer.alloc(152)])),
  );

describe('mp3Seconds', () => {
  it('adds up the frames', () => {
    expect(mp3Seconds(frames(100))).toBeCloseTo((100 * 576) / 22_050);
  });

  it('skips tags', () => {
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x01\0', 'latin1'), Buffer.alloc(128, 'x')]);
    expect(mp3Seconds(Buffer.concat([tag, frames(10), Buffer.alloc(128, 'TAG')]))).toBeCloseTo((10 * 576) / 22_050);
  });

  it('finds no frames in other content', () => {
    expect(mp3Seconds(Buffer.from('{"error":"no such voice"}'))).toBe(0);
    expect(mp3Seconds(Buffer.alloc(0))).toBe(0);
  });
});
