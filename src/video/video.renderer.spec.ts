import { Logger } from '@nestjs/common';
import type { Config } from '../platform/config/index.js';
import type { FromThread, VideoJob } from 'avatar-chat-video';
import { VideoRenderer } from './video.renderer.js';

/** Current number of holders that keep V8's heap small. */
let keepers = 0;
let isStartable = true;
let sent: object[];
let thread: { hear: (message: FromThread) => void; die: () => void };
jest.mock('avatar-chat-runtime', () => ({
  ...jest.requireActual<typeof import('avatar-chat-runtime')>('avatar-chat-runtime'),
  keepHeapSmall: () => {
    keepers++;
    return () => keepers--;
  },
}));
jest.mock('avatar-chat-video', () => ({
  ...jest.requireActual<typeof import('avatar-chat-video')>('avatar-chat-video'),
  videoWorkerClient: () => (hear: typeof thread.hear, end: (code: number) => void) => {
    if (!isStartable) throw new Error('there is no memory');
    thread = { hear, die: () => end(1) };
    return {
      send: (message: object) => void sent.push(message),
      setBusy: () => undefined,
      terminate: async () => undefined,
    };
  },
}));

const job = { sound: new Uint8Array(1) } as VideoJob;
let renderer: VideoRenderer;
const render = (holders = ['ann']) => renderer.render(job, renderer.acquirePlace(holders)!);
beforeEach(async () => {
  Logger.overrideLogger(false);
  sent = [];
  renderer = new VideoRenderer({ videoQueue: 5 } as Config);
  await renderer.onModuleInit();
  render();
  render();
});
afterEach(() => {
  isStartable = true;
  return renderer.onApplicationShutdown();
});

it('fails the videos for which the thread cannot be started, and starts it for the next', async () => {
  const [inProgress, restarted] = [render(), render()];
  thread.hear({ id: 3, working: true });
  isStartable = false;
  thread.die();
  const refused = render();
  expect(await Promise.all([inProgress.begun, restarted.begun, refused.begun])).toEqual([false, false, false]);
  expect(keepers).toBe(0);
  isStartable = true;
  const next = render();
  thread.hear({ id: 6, whole: Uint8Array.of(1) });
  expect(await next.whole).toEqual(Uint8Array.of(1));
});

describe('a full queue', () => {
  it('takes the newest video from whoever has most', async () => {
    const all = Array.from({ length: 4 }, (_, n) => render([`user-${n}`, '192.0.2.1']));
    expect(renderer.acquirePlace(['another', '192.0.2.1'])).toBeUndefined();
    const modest = render(['bob', '192.0.2.2']);
    expect(await all[3]!.whole).toBeUndefined();
    expect(sent).toContainEqual({ id: 6, isUnwanted: true });
    expect(all.map(({ isUnwanted }) => isUnwanted)).toEqual([false, false, false, true]);
    expect(modest.hasFailed).toBe(false);
  });

  it('has no more of a video whose place was taken before it began', async () => {
    const place = renderer.acquirePlace(['ann'])!;
    for (let n = 0; n < 3; n++) render();
    const others = [render(['bob']), render(['cy'])];
    expect(others.some(({ hasFailed }) => hasFailed)).toBe(false);
    place.release();
    expect(render().hasFailed).toBe(false);
  });
});

describe('the heap, kept small while videos are rendered', () => {
  it('may grow when all are complete', () => {
    expect(keepers).toBe(1);
    thread.hear({ id: 1, failed: true });
    expect(keepers).toBe(1);
    thread.hear({ id: 2, failed: true });
    expect(keepers).toBe(0);
  });

  it('may grow when the thread has died, and nothing is left to render', () => {
    thread.die();
    expect(keepers).toBe(0);
  });

  it('stays small when the others are restarted', () => {
    thread.hear({ id: 1, working: true });
    thread.die();
    expect(keepers).toBe(1);
  });

  it('may grow after a shutdown, which a host application may survive', async () => {
    await renderer.onApplicationShutdown();
    expect(keepers).toBe(0);
  });
});

// The last, since the package stays replaced.
it('renders nothing if its package is not installed or not compiled, and the log says so once', async () => {
  // The second in what has become CommonJS, as in tests of a host.
  const absent = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].map((code) => () => {
    throw Object.assign(new Error('There is none'), { code });
  });
  for (const load of [...absent, () => ({ videoWorkerClient: () => undefined })]) {
    jest.resetModules();
    jest.doMock('avatar-chat-video', load);
    const without = new VideoRenderer({ videoQueue: 5 } as Config);
    await without.onModuleInit();
    const warn = jest.spyOn(without['logger'], 'warn').mockImplementation(() => undefined);
    expect([without.checkPossible(), without.acquirePlace(['ann'])]).toEqual([false, undefined]);
    expect(warn.mock.calls).toEqual([[expect.stringContaining('avatar-chat-video is not installed')]]);
  }
});
