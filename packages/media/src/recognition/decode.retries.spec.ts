import { decodeWithRetries } from './decode.retries.js';

describe('decodeWithRetries', () => {
  /** Milliseconds of decoded audio. */
  const tried = async (ms: number, ...texts: string[]) => {
    const lengths: number[] = [];
    const text = await decodeWithRetries(new Float32Array(ms * 16), async ({ length }) => {
      lengths.push(length / 16);
      return texts.shift() ?? '';
    });
    return [text, ...lengths];
  };

  it('tries once if there are words', async () => {
    expect(await tried(2000, 'hello')).toEqual(['hello', 2000]);
  });

  it('skips more and more of the beginning if there are none', async () => {
    expect(await tried(2000, '', 'hello')).toEqual(['hello', 2000, 1850]);
    expect(await tried(2000, '', '', 'hello')).toEqual(['hello', 2000, 1850, 1750]);
    expect(await tried(2000)).toEqual(['', 2000, 1850, 1750]);
  });

  it('does not retry short audio', async () => {
    expect(await tried(640)).toEqual(['', 640]);
    expect(await tried(700)).toEqual(['', 700, 550]);
  });
});
