import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { getConnectionToken } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { Speaker, type Speech } from '../../src/index.js';
import { MessageRetention } from '../../src/messages/message.retention.js';
import type { VideoJob } from 'avatar-chat-video';
import { type VideoPlace, VideoRenderer } from '../../src/video/video.renderer.js';
import { MemoryFileStore } from '../support/memory.file-store.js';
import { boxesOf, get, startVideos, whole } from '../support/videos.js';
import { FRAMES } from '../support/voices.js';

const DAY = 24 * 3_600_000;
const TEMPLATE = readFileSync('examples/portrait/portrait.svg', 'utf8');
const inside = (svg: string) => TEMPLATE.replace('</svg>', `${svg}</svg>`);
const saga = { speaker: { kind: 'saga' } };
const tale = { speaker: { kind: 'tale' } };

/** Speaks everything in four minutes, the longest possible speech. */
@Injectable()
class SagaSpeaker extends Speaker {
  readonly kind: string = 'saga';
  protected readonly seconds: number = 250;
  validate = () => [];
  async speak(): Promise<Speech> {
    const { seconds } = this;
    const audio = Buffer.concat(Array.from({ length: Math.round(seconds * 19.2) }, () => FRAMES));
    return { audio, content_type: 'audio/mpeg', seconds, phonemes: [] };
  }
}

/** Speaks everything in the time in which a thread can be ended while it renders. */
@Injectable()
class TaleSpeaker extends SagaSpeaker {
  override readonly kind = 'tale';
  protected override readonly seconds = 25;
}

/** Renders another portrait than that of the avatar. */
@Injectable()
class Redrawn extends VideoRenderer {
  portrait?: string;
  override render(order: VideoJob, place: VideoPlace) {
    return super.render(this.portrait === undefined ? order : { ...order, portrait: this.portrait }, place);
  }
}

/** Has space for audio, but not for a whole video. */
@Injectable()
class FullFileStore extends MemoryFileStore {
  isFull = true;
  override async put(...[owner, content, description]: Parameters<MemoryFileStore['put']>) {
    if (this.isFull && description.content_type === 'video/mp4') {
      for await (const _ of content) break;
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    }
    return super.put(owner, content, description);
  }
}

let service: Awaited<ReturnType<typeof startVideos>>;
let renderer: Redrawn;
beforeAll(async () => {
  const overrides = [{ provide: VideoRenderer, useClass: Redrawn }];
  service = await startVideos({ providers: [SagaSpeaker, TaleSpeaker], overrides });
  renderer = service.test.app.get(VideoRenderer);
});
beforeEach(() => {
  renderer.portrait = undefined;
});
afterAll(() => service.test.close());

/** A reader of a video that takes a while. */
async function reading(url: string) {
  const leaving = new AbortController();
  const response = await fetch(url, { signal: leaving.signal });
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  const rest = (async () => {
    while (!(await reader.read()).done);
  })().then(
    () => 'whole',
    () => 'cut off',
  );
  return { type: response.headers.get('content-type'), first: Buffer.from(value!), rest, leave: () => leaving.abort() };
}

/** The service's warnings from here on. */
function warnings(): string[] {
  const said: string[] = [];
  jest.spyOn(renderer['logger'], 'warn').mockImplementation((line: string) => void said.push(line));
  return said;
}

it.each<[string, string, RegExp]>([
  ['lacks layers', TEMPLATE.replace('id="mouth-round"', 'id="other"'), /lacks the layers mouth-round/],
  ['is larger than 10 MB', TEMPLATE + ' '.repeat(10 * 1024 * 1024), /larger than 10 MB/],
  ['refers to another server', inside('<image href="http://127.0.0.1:9/a.png"/>'), /external reference/],
  ['has a script', inside('<script>for (;;) {}</script>'), /<script>/],
  ['uses a font', inside('<text font-family="Arial">Hi</text>'), /<text>/],
  ['is not XML', 'hello', /not well-formed/],
])('an answer has only audio if its portrait %s, and the log says so once', async (_case, portrait, reason) => {
  const said = warnings();
  renderer.portrait = portrait;
  const answers = [await service.answer(), await service.answer()];
  for (const { url, owner } of answers) {
    for (const range of ['bytes=0-', 'bytes=5-'])
      expect(await get(url, { range })).toMatchObject({ status: 206, type: 'audio/mpeg' });
    expect(await service.count('files.files', owner)).toBe(1);
  }
  expect(said).toEqual([expect.stringMatching(reason)]);
  renderer.portrait = undefined;
  expect((await whole((await service.answer()).url)).type).toBe('video/mp4');
});

it('an answer of one character is a video', async () => {
  const { url, text } = await service.answer({ speech: { speaker: { kind: 'espeak' } }, request: 'count 1' });
  expect(text.trim()).toBe('1');
  expect((await whole(url)).type).toBe('video/mp4');
});

it('the longest answer starts to play long before it is rendered, and may be left; range requests wait for it', async () => {
  const { url, text, owner } = await service.answer({ speech: saga, request: 'flood' });
  expect(text).toHaveLength(100_000);
  const { type, first, rest, leave } = await reading(url);
  expect([type, first.toString('latin1', 4, 8)]).toEqual(['video/mp4', 'ftyp']);
  leave();
  expect(await rest).toBe('cut off');
  expect(await service.count('files.files', owner)).toBe(1);
});

it('a range request gets its part as soon as the file is whole, which goes before others', async () => {
  const others = [await service.answer({ speech: tale }), await service.answer({ speech: tale })];
  const { url } = await service.answer({ speech: tale });
  const streams = await Promise.all(others.map((other) => reading(other.url)));
  const ends: string[] = [];
  const rest = streams.map(({ rest }) => rest.then(() => ends.push('streamed')));
  const [first, last] = [get(url, { range: 'bytes=0-1' }), get(url, { range: 'bytes=-20' })];
  expect(await first).toMatchObject({ status: 206, type: 'video/mp4' });
  expect(await last).toMatchObject({ status: 206, type: 'video/mp4' });
  expect(ends).toEqual([]);
  for (const { leave } of streams) leave();
  await Promise.all(rest);
}, 300_000);

it('a thread that dies leaves no partial file, and the next reader gets a new rendering', async () => {
  const { url, owner } = await service.answer({ speech: tale });
  const { type, rest } = await reading(url);
  expect(type).toBe('video/mp4');
  const part = get(url, { range: 'bytes=-20' });
  await renderer['thread']!.terminate();
  expect(await rest).toBe('cut off');
  expect(await part).toMatchObject({ status: 206, type: 'audio/mpeg' });
  expect(await service.count('files.files', owner)).toBe(1);

  const short = await service.answer();
  expect((await whole(short.url)).type).toBe('video/mp4');
  const again = await reading(url);
  expect(again.type).toBe('video/mp4');
  again.leave();
  await again.rest;
});

it('a thread that dies fails its current rendering, and the others are completed', async () => {
  // Of several segments, so that much is left to render when the last has begun.
  const sound = Buffer.concat(Array.from({ length: 120 }, () => FRAMES));
  const job = { portrait: TEMPLATE, size: 480, sound, phonemes: [] };
  const render = () => renderer.render(job, renderer.acquirePlace(['ann'])!);
  const outcomeOf = async (video: ReturnType<typeof render>) => {
    const pieces: Uint8Array[] = [];
    const read = async () => {
      for await (const piece of video.read()) pieces.push(piece);
    };
    const isRead = await read().then(
      () => true,
      () => false,
    );
    const stored = await video.whole;
    return { isRead, isStored: stored !== undefined, boxes: boxesOf(Buffer.concat(pieces)) };
  };
  const videos = [render(), render(), render()];
  const outcomes = Promise.all(videos.map(outcomeOf));
  await Promise.all(videos.map(({ begun }) => begun));
  await renderer['thread']!.terminate();
  const [failed, ...others] = (await outcomes).sort((one, other) => Number(one.isStored) - Number(other.isStored));
  expect(failed).toMatchObject({ isRead: false, isStored: false });
  const undisturbed = await outcomeOf(render());
  expect(undisturbed).toMatchObject({ isRead: true, isStored: true });
  expect(others).toEqual([undisturbed, undisturbed]);
});

it('a video that a killed process stored but did not record is swept, and its audio stays', async () => {
  const { url, owner } = await service.answer();
  const { bytes } = await whole(url);
  const videos = (service.test.app.get(getConnectionToken()) as Connection).collection('videos');
  await videos.updateOne({ user_id: owner.user_id }, { $unset: { video_id: 1 } });
  expect(await service.count('files.files', owner)).toBe(2);
  service.test.clock.advance(3 * DAY);
  await service.test.app.get(MessageRetention).sweep();
  expect(await service.count('files.files', owner)).toBe(1);
  expect((await get(url.replace('?', '/sound?'))).type ?? '').not.toBe('video/mp4');
  expect(bytes.length).toBeGreaterThan(1000);
});

it('a full disk affects no reader of a video, and leaves nothing behind', async () => {
  const { test, answer } = await startVideos({ providers: [FullFileStore] });
  try {
    const store = test.app.get<FullFileStore>(FullFileStore, { strict: false });
    const { url } = await answer();
    const streamed = await get(url);
    expect([streamed.status, streamed.type, streamed.etag]).toEqual([200, 'video/mp4', null]);
    expect(streamed.bytes.includes('moof')).toBe(true);
    expect(await get(url, { range: 'bytes=5-' })).toMatchObject({ status: 206, type: 'audio/mpeg' });
    store.isFull = false;
    expect((await whole(url)).type).toBe('video/mp4');
  } finally {
    await test.close();
  }
});
