/** A visitor of the page in Chromium, found or named by CHROMIUM_PATH, whose microphone plays a recording once. */
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../support/chromium.mjs';
import { ask } from './harness.mjs';

/**
 * @param {{ url: string, port: number }} service
 * @param {string} query of the page
 * @param {string} file WAV
 * @param {{ locale?: string, script?: string }} [options] `script` runs before the page's scripts
 */
export async function visit({ url, port }, query, file, { locale = 'en', script } = {}) {
  const { executablePath, args } = chromiumOptions();
  const browser = await chromium.launch({
    executablePath,
    args: [
      ...args,
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}%noloop`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale });
  await context.grantPermissions(['microphone']);
  const page = await context.newPage();
  if (script) await page.addInitScript(script);
  await page.goto(`${url}/?${query}`);
  return {
    page,
    close: () => browser.close(),
    /** The visitor's stored messages, oldest first. @returns {Promise<any[]>} */
    async history() {
      const user_id = await page.evaluate(`localStorage['avatar-chat-user']`);
      const { body } = await ask(port, '/jwt', { method: 'POST', body: { user_id } });
      const stored = await ask(port, `/chat?user_id=${user_id}&per_page=100`, { token: body?.jwt });
      return (stored.body?.payload ?? []).toReversed();
    },
  };
}
