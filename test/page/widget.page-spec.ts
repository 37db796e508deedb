import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { aUser } from '../support/index.js';
import { hold, isMediaEnded, launch, styleOf, until, visit, WATCH_MEDIA } from './browser.js';
import { Hosts } from './hosts.js';
import { type PageService, startPageService } from './service.js';

let browser: Browser;
let service: PageService;
const hosts = new Hosts();

/** The page in docs/widget.md, with this service. */
const example = () => {
  const [, page = ''] = /^```html\n([^]*?)^```/m.exec(readFileSync('docs/widget.md', 'utf8')) ?? [];
  return page.replaceAll('https://chat.example.org', service.proxy.url);
};
const policy = () =>
  [
    "default-src 'none'",
    `script-src ${service.proxy.url}`,
    "require-trusted-types-for 'script'",
    `connect-src ${service.proxy.url}`,
  ].join('; ');

/** Pictures and videos, which such a policy blocks: the portrait is animated instead. */
const REFUSED = /^Loading (media|the image)|blocked the loading of a resource \((img|media)-src\)/;

beforeAll(async () => {
  await hosts.start();
  [browser, service] = await Promise.all([launch(), startPageService({ corsOrigins: [hosts.site] })]);
  hosts.add('/', example, policy);
  hosts.add('/inline', () => example().replace(' floating', ''), policy);
  const sockets = () => `${policy()} ${service.proxy.url.replace('http', 'ws')}`;
  hosts.add('/closed', example, () => `default-src 'none'; script-src ${service.proxy.url}`);
  hosts.add('/live', () => example().replace('language=', 'project-id="listening" language='), sockets);
});
afterAll(async () => {
  hosts.stop();
  await browser.close();
  await service.close();
});

it('works on a page of another origin, under a strict policy', async () => {
  const { page, faults, close } = await visit(browser, hosts.site);
  const launcher = page.locator('.launcher');
  await launcher.click();
  expect(await launcher.getAttribute('aria-expanded')).toBe('true');
  await page.locator('label[data-value=voice]').click();
  await page.locator('.start-button').click();
  await page.locator('textarea').fill('Tell me a joke');
  await page.keyboard.press('Enter');
  await page.locator('.stage.speaking.has-portrait').waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(await styleOf(page.locator('.panel'), 'borderRadius')).toBe('24px');
  expect(faults.filter((fault) => !REFUSED.test(fault))).toEqual([]);
  await launcher.click();
  expect(await page.locator('.panel').isVisible()).toBe(false);
  await close();
});

it('neither records nor sends anything once its panel is closed, and continues where it was', async () => {
  const { page, requests, close } = await visit(browser, hosts.site, { script: WATCH_MEDIA });
  const launcher = page.locator('.launcher');
  await launcher.click();
  await page.locator('label[data-value=video]').click();
  await page.locator('.start-button').click();
  // Closed while it listens, and while it is starting to.
  for (const heard of [true, false]) {
    await page.locator('button.microphone').click();
    if (heard) await page.locator('button.microphone.hearing').waitFor();
    await launcher.click();
    await until(() => isMediaEnded(page), 'the end of microphone and camera');
    await launcher.click();
  }
  await page.locator('textarea').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(requests.filter((url) => url.endsWith('/chat'))).toHaveLength(1);
  await close();
});

it('has live conversations under a strict policy, until its panel is closed', async () => {
  const { page, faults, close } = await visit(browser, `${hosts.site}/live`, { script: WATCH_MEDIA });
  const launcher = page.locator('.launcher');
  await launcher.click();
  await page.locator('label[data-value=voice]').click();
  await page.locator('.start-button').click();
  await page.getByRole('button', { name: 'Start listening' }).click();
  await page.locator('.voice.live .microphone.hearing').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  await launcher.click();
  await until(() => isMediaEnded(page), 'the end of microphone and connection');
  await launcher.click();
  await page.getByRole('button', { name: 'Start listening' }).waitFor();
  expect(await page.locator('.stage.speaking').count()).toBe(0);
  expect(faults.filter((fault) => !REFUSED.test(fault))).toEqual([]);
  await close();
});

it('opens no microphone in a closed panel when a live conversation is not possible', async () => {
  const { page, close } = await visit(browser, `${hosts.site}/live`, { script: WATCH_MEDIA });
  const launcher = page.locator('.launcher');
  await launcher.click();
  await page.locator('label[data-value=voice]').click();
  await page.locator('.start-button').click();
  const load = await hold(page, '**/widget.voice*.js');
  service.proxy.injectFaults(/realtime$/, 'drop', 'drop');
  const loading = page.waitForRequest(/widget\.voice/);
  await page.getByRole('button', { name: 'Start listening' }).click();
  await loading;
  await launcher.click();
  load();
  await page.locator('.voice:not(.live)').waitFor({ state: 'attached' });
  await launcher.click();
  await page.getByRole('button', { name: 'Start listening' }).waitFor();
  // That of the live conversation.
  expect(await page.evaluate('tracks.length')).toBe(1);
  expect(await isMediaEnded(page)).toBe(true);
  await close();
});

it('shows its pictures without img-src, and drawings without active content', async () => {
  const { page, close } = await visit(browser, `${hosts.site}/inline`);
  await page.locator('.avatars canvas').nth(2).waitFor();
  await page.locator('.start-icon svg').first().waitFor();
  expect(await page.locator('.avatars img').count()).toBe(0);
  await close();
});

it('opens beside its button, on a phone with space for the close button, in both writing directions', async () => {
  const { page, close } = await visit(browser, hosts.site);
  await page.evaluate(`for (const [name, value] of [['language', 'ar'], ['avatar', 'ada'], ['chat-type', 'text']])
    document.querySelector('avatar-chat').setAttribute(name, value)`);
  const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
  await page.locator('.launcher').click();
  await page.locator('.panel[dir=rtl] .theirs .text').waitFor();
  const ends = await Promise.all(['.panel', '.launcher'].map(boxOf));
  expect(ends.map(({ x, width }) => x + width)).toEqual([1260, 1260]);
  await page.setViewportSize({ width: 390, height: 844 });
  const closing = await boxOf('.launcher');
  for (const selector of ['.back', '.renew', '.stage']) {
    const { x, width, y, height } = await boxOf(selector);
    expect([selector, x >= closing.x + closing.width || x + width <= closing.x]).toEqual([selector, true]);
    expect(Math.abs(y + height / 2 - closing.y - closing.height / 2)).toBeLessThan(2);
  }
  await close();
});

it('starts over for another user', async () => {
  const { page, close } = await visit(browser, `${hosts.site}/inline`);
  await page.locator('.start-button').click();
  await page.locator('textarea').waitFor();
  const user_id = aUser();
  await page.evaluate(`document.querySelector('avatar-chat').setAttribute('user-id', '${user_id}')`);
  await page.locator('.start-button').click();
  await page.locator('textarea').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.theirs.done').nth(1).waitFor();
  const token = await service.test.token(user_id);
  const { body } = await service.test.call({ path: `/chat?user_id=${user_id}`, token });
  expect(body.payload).toHaveLength(2);
  await close();
});

it('is rejected for origins that are not on the list, and says what to change', async () => {
  const { page, faults, close } = await visit(browser, hosts.elsewhere);
  await page.locator('.launcher').click();
  expect(await page.getByRole('alert').innerText()).toMatch(/not allowed to use the chat/);
  expect(faults.join()).toMatch(/avatar-chat: http:\/\/127.0.0.1:\d+ does not allow .* CORS_ORIGINS/);
  const refused = `document.querySelector('avatar-chat').send('Hello').catch(({ code }) => code)`;
  expect(await page.evaluate(refused)).toBe('origin_not_allowed');
  await close();
});

it('is rejected in a frame that is sandboxed from its own origin, and says what to change', async () => {
  hosts.add('/sandbox', () => `<iframe sandbox="allow-scripts" src="/inline" title="Chat"></iframe>`);
  const { page, faults, close } = await visit(browser, `${hosts.site}/sandbox`);
  expect(await page.frameLocator('iframe').getByRole('alert').innerText()).toMatch(/not allowed to use the chat/);
  expect(faults.join()).toMatch(/avatar-chat: .* requests from null\. Sandbox its frame with allow-same-origin/);
  await close();
});

it('cannot reach the service under a policy without connect-src, and says so', async () => {
  const { page, faults, close } = await visit(browser, `${hosts.site}/closed`);
  await page.locator('.launcher').click();
  expect(await page.getByRole('alert').innerText()).toMatch(/security policy of this page/);
  expect(faults.join()).toMatch(/avatar-chat: .*connect-src/);
  await close();
});
