import { isMp3, mp3Seconds } from './mp3.frames.js';

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

  it.each([0, 0xff])('gives up after 64 KiB of %d, but not within a tag that states its length', (byte) => {
    const noise = Buffer.alloc(70_000, byte);
    expect(mp3Seconds(Buffer.concat([noise, frames(10)]))).toBe(0);
    expect(mp3Seconds(Buffer.concat([frames(10), noise, frames(10)]))).toBe(mp3Seconds(frames(10)));
    const tag = Buffer.from([...Buffer.from('ID3'), 4, 0, 0, 0, 4, 34, 112]); // 7 bits each: 70,000
    expect(mp3Seconds(Buffer.concat([tag, noise, frames(10)]))).toBe(mp3Seconds(frames(10)));
  });
});

describe('isMp3', () => {
  it.each<[string, Buffer, boolean]>([
    ['frames', frames(2), true],
    ['a tag', Buffer.from('ID3\x04'), true],
    ['one frame that no other follows', Buffer.concat([frames(1), Buffer.alloc(10_000, 1)]), false],
    ['a header that frames follow elsewhere', Buffer.concat([Buffer.of(0xff), frames(10)]), false],
    ['nothing', Buffer.alloc(0), false],
  ])('looks at the beginning: %s', (_, bytes, expected) => {
    expect(isMp3(bytes)).toBe(expected);
  });
});
