import { RenderedVideo } from './rendered.video.js';

const bytes = (...values: number[]) => Uint8Array.from(values);
async function all(video: RenderedVideo): Promise<number[]> {
  const read: number[] = [];
  for await (const piece of video.read()) read.push(...piece);
  return read;
}

describe('a video in progress', () => {
  it('sends all of it to every reader, whenever it joins', async () => {
    const video = new RenderedVideo();
    const early = all(video);
    video.addPiece(bytes(1));
    video.addPiece(bytes(2));
    const late = all(video);
    await new Promise(setImmediate);
    video.addPiece(bytes(3));
    video.finishVideo(bytes(9));
    expect(await Promise.all([early, late, all(video)])).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect([await video.begun, await video.whole]).toEqual([true, bytes(9)]);
  });

  it('continues for existing readers after a restart', async () => {
    const video = new RenderedVideo();
    const early = all(video);
    video.addPiece(bytes(1));
    video.addPiece(bytes(2));
    video.restart();
    for (const value of [11, 12, 13]) video.addPiece(bytes(value));
    video.finishVideo(bytes(9));
    expect(await early).toEqual([1, 2, 13]);
    expect(await all(video)).toEqual([1, 2, 13]);
  });

  it('ends its readers with an error if it fails midway', async () => {
    const video = new RenderedVideo();
    video.addPiece(bytes(1));
    video.addPiece(bytes(2));
    const reading = all(video);
    video.finishVideo();
    await expect(reading).rejects.toThrow('could not be rendered');
    expect([await video.begun, await video.whole]).toEqual([true, undefined]);
  });

  it('has not started if it fails before its first picture', async () => {
    const video = new RenderedVideo();
    video.addPiece(bytes(1));
    video.finishVideo();
    expect(await video.begun).toBe(false);
  });
});
