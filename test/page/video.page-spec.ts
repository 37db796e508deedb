import { readFile } from 'node:fs/promises';
import { chromiumIt, until } from './browser.js';
import { start, Visitors, write } from './visitors.js';

const visitors = new Visitors();

/** Headless browsers cannot share; the shared data is recorded instead. */
const SHARING = `
  navigator.canShare = ({ files }) => files.every(({ type }) => type === 'video/mp4');
  navigator.share = async ({ files: [{ name, type, size }] }) => { globalThis.shared = { name, type, size }; };`;

async function saveAndShare(): Promise<void> {
  const query = '&chat-type=video&project-id=listening&avatar=ada&language=en';
  const { page, faults, close } = await visitors.open(query, { script: SHARING });
  await write(page, 'Hello');
  const save = page.getByRole('link', { name: 'Save video' });
  await save.waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
  expect(download.suggestedFilename()).toBe('answer.mp4');
  const saved = await readFile(await download.path());
  expect([saved.toString('latin1', 4, 8), saved.includes('moof') || saved.includes('mdat')]).toEqual(['ftyp', true]);

  await page.getByRole('button', { name: 'Share video' }).click();
  const shared = () => page.evaluate<{ name: string; type: string; size: number } | undefined>('globalThis.shared');
  await until(async () => (await shared()) !== undefined, 'what is shared');
  expect(await shared()).toEqual({ name: 'answer.mp4', type: 'video/mp4', size: expect.any(Number) });
  expect((await shared())!.size).toBeGreaterThan(10_000);
  expect(faults).toEqual([]);
  await close();
}

chromiumIt('its driver has no downloads')('the video of an answer can be saved and shared', saveAndShare);

/** Opening the camera fails, alone or with the microphone. */
const NO_CAMERA = `{
  const media = navigator.mediaDevices;
  const open = media.getUserMedia.bind(media);
  media.getUserMedia = async (wanted) => {
    if (wanted.video) throw new DOMException('Requested device not found', 'NotFoundError');
    return open(wanted);
  };
}`;

it.each([
  ['recorded', 'recording', 'bruno', 'audio/webm'],
  ['live', 'listening', 'ada', undefined],
])('without a camera, a %s video conversation has sound alone', async (_, project_id, avatar, type) => {
  const query = `&chat-type=video&project-id=${project_id}&avatar=${avatar}`;
  const { page, user_id, close } = await visitors.open(query, { script: NO_CAMERA });
  await start(page);
  await page.locator('.microphone').click();
  await page.locator('.microphone.on').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  expect(await page.locator('.preview').isHidden()).toBe(true);
  await page.locator('.back').click();
  const [message] = (await visitors.history(user_id, project_id)).filter(({ direction }) => direction === 'outgoing');
  const file = message!.fileUrl === undefined ? undefined : await fetch(message!.fileUrl);
  expect([message!.chat_type, file?.headers.get('content-type')]).toEqual(['video', type]);
  await close();
});

it('a video turn sends what the camera recorded', async () => {
  const { page, user_id, close } = await visitors.open('&chat-type=video&project-id=recording&avatar=bruno');
  await start(page);
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('.microphone').click();
  const seen = () =>
    page.locator('.preview').evaluate((video) => (video as unknown as { currentTime: number }).currentTime);
  await until(async () => (await seen()) > 0.3, 'a picture of oneself');
  await page.locator('.microphone').click();
  await page.locator('.theirs.done').nth(1).waitFor();
  const [, message] = await visitors.history(user_id, 'recording');
  const file = await fetch(message!.fileUrl!);
  expect([message!.chat_type, file.headers.get('content-type')]).toEqual(['video', 'video/webm']);
  await close();
});
