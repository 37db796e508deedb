import { readFile } from 'node:fs/promises';
import { chromiumIt, until } from './browser.js';
import { Visitors, write } from './visitors.js';

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
