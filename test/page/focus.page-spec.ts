import type { Page } from 'playwright-core';
import { chromiumIt, until } from './browser.js';
import { start, Visitors, write } from './visitors.js';

const visitors = new Visitors();

const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector('avatar-chat').shadowRoot.activeElement?.className ?? ''`);
const inInput = (page: Page): Promise<boolean> =>
  page.evaluate(`document.querySelector('avatar-chat').shadowRoot.activeElement?.tagName === 'TEXTAREA'`);

const open = async (query: string) => {
  const opened = await visitors.open(`&project-id=listening${query}`);
  await start(opened.page);
  return opened;
};
/** An answer in progress, which goes on until it is stopped. */
const counting = async () => {
  const opened = await open('&avatar=puppet&chat-type=text');
  await write(opened.page, 'count 900');
  await opened.page.locator('.theirs.speaking .text', { hasText: '3' }).waitFor();
  return opened;
};

it.each(['key', 'mouse'])('after a suggestion was chosen by %s, Escape silences the avatar', async (by) => {
  const { page, close } = await open('&avatar=bruno&chat-type=voice');
  const suggestion = page.locator('.suggestions button').first();
  await suggestion.waitFor();
  if (by === 'key') await suggestion.press('Enter');
  else await suggestion.click();
  await page.locator('.suggestions').waitFor({ state: 'hidden' });
  // A keyboard on the screen would cover the avatar.
  expect([await inInput(page), await focused(page)]).toEqual(by === 'key' ? [true, ''] : [false, 'messages']);
  await page.locator('.stage.speaking').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.stage:not(.speaking)').waitFor();
  await close();
});

it('after Stop and Retry by key, the message input has the focus', async () => {
  const { page, close } = await counting();
  await page.locator('.composer .stop').press('Enter');
  await page.locator('.theirs.interrupted').waitFor();
  expect(await inInput(page)).toBe(true);
  await page.route('**/chat', (route) => route.fulfill({ status: 400, json: {} }), { times: 1 });
  await write(page, 'Hello');
  await page.locator('.mine.failed button').press('Enter');
  await page.locator('.mine.done', { hasText: 'Hello' }).waitFor();
  expect(await inInput(page)).toBe(true);
  await close();
});

it('after a recording was discarded by key, the message input has the focus', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=wordless&avatar=bruno');
  await start(page);
  await page.locator('.microphone').click();
  await page.locator('.words .quiet').press('Enter');
  await page.locator('.words').waitFor({ state: 'detached' });
  expect(await inInput(page)).toBe(true);
  await close();
});

it('the button of a recorded conversation takes the focus of a live one that is not possible', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=wordless&avatar=ada');
  await start(page);
  await page.locator('.voice.live .microphone').press('Enter');
  await page.locator('.voice:not(.live) .microphone').waitFor();
  expect(await focused(page)).toContain('microphone');
  await close();
});

chromiumIt('its driver has no input methods')(
  'Escape that ends the composition of a character does not interrupt',
  async () => {
    const { page, close } = await counting();
    await page.locator('textarea').focus();
    const devtools = await page.context().newCDPSession(page);
    await page.evaluate(`document.querySelector('avatar-chat').shadowRoot.addEventListener('keydown', ({ isComposing }) =>
    (globalThis.isComposing = isComposing), true)`);
    await devtools.send('Input.imeSetComposition', { text: 'ni', selectionStart: 2, selectionEnd: 2 });
    const escape = { key: 'Escape', code: 'Escape', windowsVirtualKeyCode: 27 };
    await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...escape });
    await until(() => page.evaluate('globalThis.isComposing === true'), 'a key of the composition');
    const text = page.locator('.theirs.speaking .text');
    const length = (await text.innerText()).length;
    await until(async () => (await text.innerText()).length > length, 'the rest of the answer');
    await close();
  },
);
