import { Readable } from 'node:stream';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { CatalogueService } from '../../src/catalogue/index.js';
import { FileStoreRegistry } from '../../src/files/file-store.registry.js';
import { VideoRenderer } from '../../src/video/video.renderer.js';
import { VideoRepository } from '../../src/video/video.repository.js';
import { ErasureService } from '../../src/erasure/index.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import type { TestApp } from '../../src/testing/index.js';
import { anyServer } from '../support/index.js';
import { boxesOf, get, startVideos, whole } from '../support/videos.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const apps: TestApp[] = [];
async function start(options?: Parameters<typeof startVideos>[0]) {
  const service = await startVideos(options);
  apps.push(service.test);
  return service;
}
/** Seconds of the whole: in the headers of the movie, of its first track, and of its fragments. */
const secondsOf = (mp4: Buffer): number[] => {
  const [mvhd, mdhd, mehd] = ['mvhd', 'mdhd', 'mehd'].map((box) => mp4.indexOf(box) + 4) as [number, number, number];
  const [movie, track] = [mvhd, mdhd].map((header) => mp4.readUInt32BE(header + 12)) as [number, number];
  const inFragments = mehd < 4 ? [] : [mp4.readUInt32BE(mehd + 4) / movie];
  return [mp4.readUInt32BE(mvhd + 16) / movie, mp4.readUInt32BE(mdhd + 16) / track, ...inFragments];
};
/** Width and height in pixels, from the track's header. */
const sizeOf = (mp4: Buffer) => mp4.readUInt16BE(mp4.indexOf('avc1', mp4.indexOf('stsd')) + 28);

let service: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  service = await start();
});
afterAll(() => Promise.all(apps.map((test) => test.close())));

describe('the answer to a video turn', () => {
  it('is rendered on the first GET, which streams it, and is a plain file afterwards', async () => {
    const { url, owner } = await service.answer({ speech: { speaker: { kind: 'espeak' } } });
    const announced = await get(url, {}, 'HEAD');
    expect(announced).toMatchObject({ status: 200, type: 'video/mp4', length: null, etag: null });
    expect(await service.count('files.files', owner)).toBe(1);

    const readers = await Promise.all([get(url), get(url, { range: 'bytes=0-' })]);
    for (const { status, type, length, etag, of, bytes } of readers) {
      expect([status, type, length, etag, of('cache-control')]).toEqual([200, 'video/mp4', null, null, 'no-store']);
      expect(boxesOf(bytes).slice(0, 4)).toEqual(['ftyp', 'moov', 'moof', 'mdat']);
    }
    expect(readers[0]!.bytes.equals(readers[1]!.bytes)).toBe(true);

    const { status, type, length, etag, of, bytes } = await whole(url);
    expect([status, type, length, of('accept-ranges')]).toEqual([200, 'video/mp4', String(bytes.length), 'bytes']);
    expect(boxesOf(bytes).filter((box) => box !== 'free')).toEqual(['ftyp', 'moov', 'mdat']);
    expect(sizeOf(bytes)).toBe(480);
    const streamed = readers[0]!.bytes;
    // From its beginning, for players that are still receiving it.
    const [seconds] = secondsOf(bytes);
    expect(secondsOf(streamed)).toEqual(Array(3).fill(expect.closeTo(seconds!, 1)));
    expect(seconds).toBeGreaterThan(1);
    // Which frames are key frames, for seeking: not all.
    expect(bytes.includes('stss')).toBe(true);
    expect(etag).toMatch(/^"\w+"$/);
    const part = await get(url, { range: 'bytes=10-29' });
    expect([part.status, part.bytes.equals(bytes.subarray(10, 30))]).toEqual([206, true]);
    expect((await get(url, { 'if-none-match': etag! })).status).toBe(304);
    expect(await get(url, {}, 'HEAD')).toMatchObject({ type: 'video/mp4', length, etag });

    const details = await get(url.replace('?', '/details?'));
    expect(JSON.parse(details.bytes.toString()).phonemes.length).toBeGreaterThan(3);
    const sound = await get(url.replace('?', '/sound?'));
    expect([sound.status, sound.type, sound.etag === etag]).toEqual([200, 'audio/mpeg', false]);
    expect((await get(url.replace('/files/', '/files/0'))).status).toBe(404);
  });

  it('is rendered for a range as well, which is sent when the file is complete', async () => {
    const { url } = await service.answer({ video: { enabled: true, size: 640 } });
    const part = await get(url, { range: 'bytes=-20' });
    const { bytes } = await whole(url);
    expect([part.status, part.bytes.equals(bytes.subarray(-20))]).toEqual([206, true]);
    expect(sizeOf(bytes)).toBe(640);
    expect((await get(url, { range: 'bytes=99999999-' })).status).toBe(416);
  });

  it('is rendered by one of several processes, and counted once, while the others wait for its file', async () => {
    const uri = anyServer().uri.replace(/\/?(\?|$)/, `/videos_${process.pid}$1`);
    const config = {
      database: { kind: 'mongodb' as const, uri },
      rateLimits: { enabled: true, video: 100 },
    };
    const one = await start({ config });
    const { jwtSecret } = one.test.config;
    const other = await start({ config: { ...config, jwtSecret }, clock: one.test.clock });
    // The other process has not heard of the project when it is asked.
    jest.spyOn(other.test.app.get(CatalogueService), 'refresh').mockResolvedValue();
    const rendered = [one, other].map(({ test }) =>
      jest.spyOn(test.app.get(VideoRenderer, { strict: false }), 'render'),
    );
    const { url, owner } = await one.answer({ speech: { speaker: { kind: 'espeak' } } });
    const url2 = url.replace(one.base, other.base);
    const answers = await Promise.all([url, url2, url, url2].map((from) => get(from)));
    expect(answers.map(({ status, type }) => `${status} ${type}`)).toEqual(Array(4).fill('200 video/mp4'));
    expect(rendered.flatMap(({ mock }) => mock.calls)).toHaveLength(1);
    const { bytes } = await whole(url);
    expect((await whole(url2)).bytes.equals(bytes)).toBe(true);
    const limited = one.test.app.get<Connection>(getConnectionToken()).collection('rate_limits');
    const counted = await limited.findOne({ _id: { $regex: `^videos ${owner.project_id}/` } as never });
    expect(counted?.hits).toBe(Math.ceil(secondsOf(bytes)[0]!));
  });

  it('is rendered by another process once the one that rendered it has gone', async () => {
    const { url, owner } = await service.answer();
    const videos = service.test.app.get<Connection>(getConnectionToken()).collection('videos');
    const claimed_until = new Date(service.test.clock.now() + 1000);
    await videos.updateOne({ user_id: owner.user_id }, { $set: { claimed_until } });
    const early = get(url);
    await new Promise((resolve) => setTimeout(resolve, 100));
    service.test.clock.advance(2000);
    expect((await early).type).toBe('audio/mpeg');
    expect((await get(url)).type).toBe('video/mp4');
  });

  it('is the one that another process was faster to render', async () => {
    const { url, owner } = await service.answer();
    const { store } = service.test.app.get(FileStoreRegistry, { strict: false });
    const videos = service.test.app.get(VideoRepository, { strict: false });
    const link = videos.link.bind(videos);
    jest.spyOn(videos, 'link').mockImplementationOnce(async (known) => {
      const { file_id } = await store.put(owner, Readable.from([Buffer.from("another's")]), {
        content_type: 'video/mp4',
      });
      await link(known, file_id);
      return false;
    });
    const part = await get(url, { range: 'bytes=0-6' });
    expect([part.status, part.type, part.bytes.toString()]).toEqual([206, 'video/mp4', 'another']);
    expect(await service.count('files.files', owner)).toBe(2);
  });

  it.each(['bytes=5-2', 'lines=1-2', 'bytes=0-1,4-5', 'bytes=-', 'bytes'])('ignores the range %s', async (range) => {
    const { url } = await service.answer();
    expect(await get(url, { range })).toMatchObject({ status: 200, type: 'video/mp4', length: null });
  });

  it('is rendered completely if its reader leaves', async () => {
    const { url } = await service.answer();
    const leaving = new AbortController();
    await fetch(url, { signal: leaving.signal });
    leaving.abort();
    expect((await whole(url)).type).toBe('video/mp4');
  });

  it.each<[string, Parameters<typeof service.answer>[0]]>([
    ['the project has switched videos off', { video: { enabled: false } }],
    ['the avatar has no portrait', { avatar_id: 'puppet' }],
    ['its pictures are on another server', { avatar_id: 'remote' }],
    ['its pictures do not exist', { avatar_id: 'astray' }],
  ])('has only audio if %s', async (_case, options) => {
    const { url } = await service.answer(options);
    for (const method of ['HEAD', 'GET'])
      expect(await get(url, {}, method)).toMatchObject({ status: 200, type: 'audio/mpeg' });
  });

  it('is removed with its message, and not before', async () => {
    const { url, owner } = await service.answer();
    await whole(url);
    expect([await service.count('files.files', owner), await service.count('videos', owner)]).toEqual([2, 1]);
    service.test.clock.advance(3 * DAY);
    await service.test.app.get(MessageRetention).sweep();
    expect(await service.count('files.files', owner)).toBe(2);
    await service.test.app.get(ErasureService, { strict: false }).eraseUser(owner);
    expect([await service.count('files.files', owner), await service.count('videos', owner)]).toEqual([0, 0]);
  });

  it('is rendered again if its file is gone', async () => {
    const { url, owner } = await service.answer();
    const { etag } = await whole(url);
    const files = (service.test.app.get(getConnectionToken()) as Connection).collection('files.files');
    await files.deleteOne({ 'metadata.user_id': owner.user_id, 'metadata.content_type': 'video/mp4' });
    const again = await whole(url);
    expect([again.type, again.etag === etag]).toEqual(['video/mp4', false]);
  });
});

describe('the limits of videos', () => {
  it('leave only audio for those beyond the queue', async () => {
    const { answer } = await start({ config: { videoQueue: 0 } });
    const urls = [(await answer()).url, (await answer()).url, (await answer()).url];
    const types = (await Promise.all(urls.map((url) => get(url)))).map(({ type }) => type);
    expect(types.filter((type) => type === 'video/mp4').length).toBeGreaterThan(0);
    expect(types.filter((type) => type === 'audio/mpeg').length).toBeGreaterThan(0);
    for (const url of urls) expect((await whole(url)).etag).toBeTruthy();
  });

  it('leave only audio for a user who has used up VIDEO_SECONDS, for the rest of the hour', async () => {
    const { answer, test } = await start({ config: { rateLimits: { enabled: true, video: 1 } as never } });
    const { url, owner } = await answer();
    expect((await get(url)).type).toBe('video/mp4');
    const second = await answer(owner);
    expect((await get(second.url)).type).toBe('audio/mpeg');
    expect((await get((await answer()).url)).type).toBe('video/mp4');
    test.clock.advance(HOUR);
    expect((await get(second.url)).type).toBe('video/mp4');
  });

  it('are zero in production, unless a project enables videos', async () => {
    const { answer } = await start({ config: { production: true } });
    expect((await get((await answer()).url)).type).toBe('audio/mpeg');
    expect((await get((await answer({ video: { enabled: true } })).url, {}, 'HEAD')).type).toBe('video/mp4');
  });
});
