import type { Page } from 'playwright-core';
import { hold, styleOf, until, WATCH_MEDIA } from './browser.js';
import { start, Visitors, write } from './visitors.js';

const visitors = new Visitors();
const PUPPET = '&project-id=listening&avatar=puppet&language=en&chat-type=text';

const setAttribute = (page: Page, name: string, value: string) =>
  page.evaluate(`document.querySelector('avatar-chat').setAttribute('${name}', '${value}')`);

describe('a changed language attribute', () => {
  it('changes the texts and the language of the next turn; the conversation and the draft stay', async () => {
    const { page, user_id, close } = await visitors.open(PUPPET);
    await write(page, 'count 60');
    await page.locator('.theirs.speaking').waitFor();
    await page.locator('textarea').fill('A draft');
    await setAttribute(page, 'language', 'ar');
    await page.locator('.panel[dir=rtl][lang=ar] textarea').waitFor();
    // The turn in progress was not interrupted.
    await page.locator('.theirs.done .text', { hasText: '60' }).waitFor();
    expect(await page.locator('.send').getAttribute('aria-label')).toBe('إرسال');
    expect(await page.locator('textarea').inputValue()).toBe('A draft');
    await page.keyboard.press('Enter');
    await page.locator('.mine').nth(1).waitFor();
    await until(async () => (await visitors.history(user_id, 'listening')).length === 4, 'the second answer');
    const languages = (await visitors.history(user_id, 'listening')).map(
      (message) => (message as unknown as { language_code: string }).language_code,
    );
    expect(languages).toEqual(['ar', 'ar', 'en', 'en']);
    await close();
  });

  it('counts when the panel is opened next, and in the choice of an avatar', async () => {
    const { page, close } = await visitors.open('&project-id=listening&language=en');
    await page.locator('.start-button').waitFor();
    await setAttribute(page, 'language', 'ar');
    await page.locator('.panel[lang=ar] .start-button').waitFor();
    await page.evaluate(
      `{ const chat = document.querySelector('avatar-chat'); chat.setAttribute('floating', ''); chat.close(); }`,
    );
    await setAttribute(page, 'language', 'en');
    await page.evaluate(`document.querySelector('avatar-chat').open()`);
    await page.locator('.panel[lang=en] .start-button').waitFor();
    expect(await page.locator('.start-button').innerText()).toMatch(/^Talk with /);
    await close();
  });
});

it('offers video only with avatars that have a live mode, if there are any', async () => {
  const { page, close } = await visitors.open('&language=en&avatar=bruno&chat-type=video&project-id=listening');
  const mode = (value: string) => page.locator(`label[data-value=${value}]`);
  // What the page wants is not offered: the visitor chooses.
  await mode('bruno').waitFor();
  expect([await mode('video').isVisible(), await mode('voice').locator('input').isChecked()]).toEqual([false, true]);
  await mode('ada').click();
  await mode('video').click();
  await mode('bruno').click();
  expect([await mode('video').isVisible(), await mode('voice').locator('input').isChecked()]).toEqual([false, true]);
  await close();
});

it.each([
  [390, 844],
  [1280, 800],
])('captions can be switched on at %i × %i, and stay on', async (width, height) => {
  const query = '&chat-type=voice&project-id=listening&avatar=ada&language=en';
  const { page, close } = await visitors.open(query, { viewport: { width, height } });
  const button = page.getByRole('button', { name: 'Captions' });
  await button.click();
  await page.reload();
  expect(await button.getAttribute('aria-pressed')).toBe('true');
  await write(page, 'Tell me a joke');
  const captions = page.locator('.captions');
  await captions.waitFor();
  expect(await captions.getAttribute('tabindex')).toBe('-1');
  const box = (await captions.boundingBox())!;
  expect([box.x >= 0, box.x + box.width <= width, box.width > 100]).toEqual([true, true, true]);
  await close();
});

it('starts although greetings in the chosen language are still loading; they follow', async () => {
  const { page, close } = await visitors.open('&avatar=bruno&chat-type=text');
  await page.locator('.start-button').waitFor();
  const load = await hold(page, '**/connection*');
  await page.locator('label[data-value="de"]').click();
  await page.locator('.panel[lang="de"]').waitFor();
  expect(await page.locator('label[data-value="bruno"] small').getAttribute('lang')).toBe('');
  await start(page);
  const greeting = page.locator('.theirs .text').first();
  await greeting.waitFor();
  load();
  await greeting.filter({ hasText: 'Hallo' }).waitFor();
  await close();
});

it('marks the language of the conversation where the page has no texts in it', async () => {
  const { page, close } = await visitors.open('&project-id=dutch&avatar=puppet&language=nl&chat-type=text');
  const langOf = (part: string) =>
    page
      .locator(part)
      .last()
      .evaluate((element) => (element as any).lang);
  await page.locator('.theirs .text').waitFor();
  expect([await langOf('.theirs .text'), await langOf('.unseen[role="status"]')]).toEqual(['', '']);
  await write(page, 'count 3');
  await page.locator('.mine + .theirs.done').waitFor();
  expect(await langOf('.panel')).toBe('en');
  for (const part of ['.theirs .text', '.mine .text', '.unseen[role="status"]']) expect(await langOf(part)).toBe('nl');
  expect(await langOf('.theirs .about')).toBe('');
  await page.reload();
  await page.locator('.past.theirs .text').waitFor();
  expect(await langOf('.past.theirs .text')).toBe('nl');
  await close();
});

it('draws the edges of buttons in forced colors', async () => {
  const { page, close } = await visitors.open('&language=en&project-id=listening');
  await page.emulateMedia({ forcedColors: 'active' });
  await page.locator('.start-button').waitFor();
  expect(await styleOf(page.locator('.start-button'), 'borderTopWidth')).toBe('1px');
  await page.locator('label[data-value=voice]').click();
  await start(page);
  await page.locator('.microphone').waitFor();
  const widths = await page
    .locator('.panel button:visible')
    .evaluateAll((all) =>
      all.map((button) => [button.className, (globalThis as any).getComputedStyle(button).borderTopWidth as string]),
    );
  expect(widths.filter(([, width]) => width !== '1px')).toEqual([]);
  expect(widths.length).toBeGreaterThan(5);
  await close();
});

it.each(['ada', 'bruno'])('says that the microphone was taken away from a conversation with %s', async (avatar) => {
  const query = `&chat-type=voice&project-id=listening&avatar=${avatar}&language=en`;
  const { page, close } = await visitors.open(query, { script: WATCH_MEDIA });
  await page.locator('.microphone').click();
  await page.locator('.microphone.hearing').waitFor();
  // As when a device is unplugged: the track ends by itself.
  await page.evaluate(`for (const track of tracks) { track.stop(); track.dispatchEvent(new Event('ended')); }`);
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').innerText()).toMatch(/The microphone was taken away/);
  await page.locator('.microphone:not(.on)').waitFor();
  await close();
});
