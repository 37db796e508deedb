import { Owner } from '../../src/auth/index.js';
import { VideoClaims } from '../../src/video/video.claims.js';
import { VideoRepository } from '../../src/video/video.repository.js';
import { anyServer, aProject, aUser, createTestApp, type TestApp } from '../support/index.js';

const AGAIN_MS = 10_000;

describe.each([anyServer()])('the claim of a rendering', (server) => {
  let test: TestApp;
  beforeAll(async () => (test = await createTestApp({ server })));
  afterEach(() => {
    jest.useRealTimers();
    jest.restoreAllMocks();
  });
  afterAll(() => test.close());

  it.each<[string, () => Promise<boolean>]>([
    ['is not answered yet', () => new Promise(() => undefined)],
    ['was applied, but not acknowledged', () => Promise.reject(new Error('a fault of the test'))],
  ])('ends, even if its prolongation %s', async (_, outcome) => {
    const [claims, videos] = [
      test.app.get(VideoClaims, { strict: false }),
      test.app.get(VideoRepository, { strict: false }),
    ];
    const file_id = aUser();
    await videos.add(new Owner(aProject(), aUser()), file_id, 'ada');
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask', 'Date'] });
    const release = await claims.claim(file_id);
    const claim = videos.claim.bind(videos);
    const prolonged = new Promise<boolean>((resolve) => {
      jest.spyOn(videos, 'claim').mockImplementationOnce(async (...given) => {
        resolve(await claim(...given));
        return outcome();
      });
    });
    test.clock.advance(AGAIN_MS);
    jest.advanceTimersByTime(AGAIN_MS);
    expect(await prolonged).toBe(true);
    expect(await claims.claim(file_id)).toBeUndefined();
    await release!();
    expect(await claims.claim(file_id)).toBeDefined();
  });
});
