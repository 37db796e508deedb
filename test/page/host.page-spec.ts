import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, styleOf, until, visit } from './browser.js';
import { application, framing, Hosts, shop } from './hosts.js';
import { type PageService, startPageService } from './service.js';

let browser: Browser;
let service: PageService;
const hosts = new Hosts();

beforeAll(async () => {
  await hosts.start();
  [browser, service] = await Promise.all([launch(), startPageService({ corsOrigins: [hosts.site] })]);
  hosts.add('/shop', () => shop(service.proxy.url));
  hosts.add('/app', () => application(service.proxy.url));
  hosts.add('/framing', () => framing(`${hosts.site}/app`));
});
afterAll(async () => {
  hosts.stop();
  await browser.close();
  await service.close();
});

const CHAT = `document.querySelector('avatar-chat')`;
/** Makes the page record the element's events, as `type` or `type:state`. */
const LISTEN = `globalThis.told = [];
  for (const type of ['open', 'close', 'message', 'turn', 'error', 'unread'])
    ${CHAT}.addEventListener(type, ({ detail, bubbles }) => told.push({ type, bubbles, ...detail }));`;

interface Told {
  type: string;
  bubbles: boolean;
  state?: string;
  count?: number;
  code?: string;
  message?: { direction: string };
}

const told = (page: Page) => page.evaluate<Told[]>('told');

/** Adds the element to an application's page. */
const mount = async (page: Page, attributes: Record<string, string>) => {
  await page.evaluate<unknown>(`customElements.whenDefined('avatar-chat')`);
  const all = { 'project-id': 'listening', avatar: 'puppet', language: 'en', 'chat-type': 'text', ...attributes };
  await page.evaluate(`{
    const chat = document.createElement('avatar-chat');
    for (const [name, value] of Object.entries(${JSON.stringify(all)})) chat.setAttribute(name, value);
    document.querySelector('main').replaceChildren(chat);
  }`);
  await page.evaluate(LISTEN);
};

const open = async (attributes: Record<string, string> = {}, options: Parameters<typeof visit>[2] = {}) => {
  const visited = await visit(browser, `${hosts.site}/app`, options);
  const user_id = aUser();
  await mount(visited.page, { 'user-id': user_id, ...attributes });
  return { ...visited, user_id };
};

/** A user's stored messages, oldest first. */
const stored = async (user_id: string): Promise<string[]> => {
  const token = await service.test.token(user_id, 'listening');
  const { body } = await service.test.call({ path: `/chat?user_id=${user_id}`, token });
  return body.payload.map(({ answer, request }: { answer?: string; request: string }) => answer ?? request).reverse();
};

const write = async (page: Page, text: string) => {
  await page.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
};

const anotherTab = async (context: BrowserContext, attributes: Record<string, string>) => {
  const page = await context.newPage();
  await page.goto(`${hosts.site}/app`);
  await mount(page, attributes);
  return page;
};

describe('on a shop page', () => {
  it('loads only the loader until it is opened, and is on top of everything, whatever the style sheet says', async () => {
    const { page, requests, faults, close } = await visit(browser, `${hosts.site}/shop`);
    const launcher = page.getByRole('button', { name: 'Open chat' });
    await launcher.waitFor();
    const asked = () => requests.filter((url) => url.startsWith(service.proxy.url)).map((url) => new URL(url).pathname);
    expect(asked()).toEqual(['/widget.js']);
    await launcher.click();
    const panel = page.getByRole('dialog', { name: 'Ada' });
    await panel.locator('.theirs .text').waitFor();
    expect(asked().filter((path) => ['/jwt', '/connection'].includes(path))).toEqual(['/jwt', '/connection']);
    const { x, y, width, height } = (await panel.boundingBox())!;
    expect([x >= 0, y >= 0, x + width <= 1280, y + height <= 800, width > 300]).toEqual([true, true, true, true, true]);
    const button = (await page.getByRole('button', { name: 'Close chat' }).boundingBox())!;
    expect(Math.round(button.x + button.width)).toBe(Math.round(x + width));
    expect(await styleOf(panel.locator('.about').first(), 'fontSize')).toBe('12px');
    // The input has the focus.
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await panel.locator('.theirs.done').nth(1).waitFor();
    await page.keyboard.press('Escape');
    await launcher.waitFor();
    expect(await page.evaluate(`${CHAT}.shadowRoot.activeElement.className`)).toBe('launcher');
    expect(faults).toEqual([]);
    await close();
  });

  it.each([
    [390, 844],
    [640, 400],
    [844, 390],
  ])('fits a screen of %i × %i', async (width, height) => {
    const { page, close } = await visit(browser, `${hosts.site}/shop`, { viewport: { width, height } });
    await page.getByRole('button', { name: 'Open chat' }).click();
    await page.locator('.theirs .text').waitFor();
    const panel = (await page.locator('.panel').boundingBox())!;
    const messages = (await page.locator('.messages').boundingBox())!;
    if (width < 480) expect(panel).toMatchObject({ x: 0, y: 0, width, height });
    expect(panel.width).toBeGreaterThanOrEqual(300);
    expect(messages.height).toBeGreaterThanOrEqual(120);
    await page.getByRole('button', { name: 'Close chat' }).click();
    await page.locator('.panel').waitFor({ state: 'hidden' });
    await close();
  });
});

describe('in an application', () => {
  it('is operated by methods, emits events, and ends with its element', async () => {
    const { page, user_id, faults, close } = await open({ floating: '' });
    await page.evaluate(`${CHAT}.send('count 3')`);
    const events = (await told(page)).map(({ type, state, message }) => state ?? message?.direction ?? type);
    expect(events).toEqual(['open', 'asked', 'outgoing', 'answering', 'incoming', 'answered']);
    expect((await told(page)).some(({ bubbles }) => bubbles)).toBe(false);
    await page.evaluate(`${CHAT}.newConversation()`);
    await page.locator('.mine').waitFor({ state: 'detached' });
    await page.locator('.theirs', { hasText: 'At your service.' }).waitFor();
    expect(await stored(user_id)).toHaveLength(2);
    // When moved, it continues; when removed, it ends, even in the middle of an answer.
    await page.evaluate(`document.body.append(${CHAT})`);
    expect(await page.evaluate(`${CHAT}.isOpen`)).toBe(true);
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/chat'));
    await write(page, 'count 900');
    await page.locator('.theirs.speaking').waitFor();
    await page.evaluate(`globalThis.chat = ${CHAT}, chat.destroy()`);
    await ended;
    expect(await page.evaluate('[chat.isConnected, chat.isOpen]')).toEqual([false, false]);
    expect((await told(page)).map(({ type }) => type)).toContain('close');
    // Mounted again, it is where it was.
    await mount(page, { 'user-id': user_id });
    await page.locator('.theirs.interrupted').waitFor();
    expect(await page.locator('.mine .text').allInnerTexts()).toEqual(['count 900']);
    expect(faults).toEqual([]);
    await close();
  });

  it('closing ends the answer in progress, which stays marked; the greeting is above it', async () => {
    const { page, user_id, close } = await open({ floating: '' });
    await page.evaluate(`${CHAT}.open()`);
    await write(page, 'count 900');
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/chat'));
    await page.locator('.theirs.speaking .text', { hasText: '3' }).waitFor();
    await page.evaluate(`${CHAT}.close()`);
    await ended;
    await until(async () => (await stored(user_id)).length === 2, 'the stored answer');
    await page.reload();
    await mount(page, { 'user-id': user_id });
    await page.locator('.theirs.interrupted small', { hasText: 'Interrupted' }).waitFor();
    await page.getByText('Start of conversation').waitFor();
    expect(await page.locator('.theirs .text').first().innerText()).toBe('At your service.');
    await close();
  });

  it('a reload keeps the draft and failed messages, which are stored once however often they are sent', async () => {
    const { page, user_id, close } = await open();
    await page.getByText('Start of conversation').waitFor();
    // It arrives, but its response is lost; then it does not even arrive. More than three, since Firefox retries some
    // by itself.
    const spare = service.proxy.injectFaults(/POST \/chat/, ...Array.from({ length: 12 }, () => 'lose' as const));
    let attempts = 0;
    await page.route('**/chat', (route) => (attempts++ < 3 ? route.continue() : route.abort()));
    await write(page, 'count 3');
    // The event stream tells that it has arrived, and was answered.
    await page.locator('.theirs.done', { hasText: '3' }).waitFor();
    await page.locator('.mine.done').waitFor();
    const error = (await told(page)).find(({ type }) => type === 'error');
    expect(error).toMatchObject({ code: 'network_error' });
    await write(page, 'count 4');
    await page.locator('.mine.failed').waitFor();
    await page.unroute('**/chat');
    spare();
    await page.locator('textarea').fill('A draft');
    await until(() => page.evaluate<boolean>(`Object.values(localStorage).includes('A draft')`), 'a kept draft');
    await page.reload();
    await mount(page, { 'user-id': user_id });
    await page.locator('.mine.failed', { hasText: 'count 4' }).waitFor();
    expect(await page.locator('.mine').count()).toBe(2);
    expect(await page.locator('textarea').inputValue()).toBe('A draft');
    await page.locator('.mine.failed .quiet').click();
    await page.locator('.mine + .theirs.done .text', { hasText: '4' }).waitFor();
    expect(await stored(user_id)).toHaveLength(4);
    await page.reload();
    await mount(page, { 'user-id': user_id });
    await page.locator('.mine.done').nth(1).waitFor();
    expect(await page.locator('.mine').count()).toBe(2);
    await close();
  });

  it("tabs of one user see each other's messages; a closed one counts answers", async () => {
    const { page, user_id, close } = await open();
    const other = await anotherTab(page.context(), { 'user-id': user_id, floating: '' });
    const launcher = other.locator('.launcher');
    await launcher.click();
    await other.locator('.theirs').waitFor();
    await launcher.click();
    await page.bringToFront();
    await page.evaluate(`${CHAT}.send('count 3')`);
    await until(async () => (await told(other)).at(-1)?.count === 1, 'an unread answer');
    expect(await launcher.innerText()).toBe('1');
    expect(await launcher.getAttribute('aria-label')).toBe('Open chat');
    expect(await launcher.getAttribute('aria-description')).toBe('1');
    await launcher.click();
    expect(await launcher.getAttribute('aria-description')).toBeNull();
    expect(await other.locator('.mine .text').allInnerTexts()).toEqual(['count 3']);
    expect((await told(other)).at(-1)).toMatchObject({ type: 'open' });
    await write(other, 'count 4');
    await page.locator('.mine', { hasText: 'count 4' }).waitFor();
    await page.locator('.theirs.done .text', { hasText: '4' }).waitFor();
    expect(await page.locator('.mine').count()).toBe(2);
    // A draft in one of them stays when another one is left.
    const isKept = () => page.evaluate<boolean>(`Object.values(localStorage).includes('A draft')`);
    await page.locator('textarea').fill('A draft');
    await until(isKept, 'a kept draft');
    await other.evaluate(`dispatchEvent(new Event('pagehide'))`);
    expect(await isKept()).toBe(true);
    await close();
  });
});

it('in a frame of another origin without storage, it works and starts over for another user', async () => {
  const refuse = `Object.defineProperty(globalThis, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } });`;
  const { page, close } = await visit(browser, `${hosts.elsewhere}/framing`, { script: refuse });
  const [, frame] = page.frames();
  await frame!.evaluate(`customElements.whenDefined('avatar-chat').then(() => {
    document.querySelector('main').innerHTML = '<avatar-chat avatar="ada" language="en" chat-type="text"></avatar-chat>';
  })`);
  const inFrame = page.frameLocator('iframe');
  await inFrame.locator('textarea').fill('Hello');
  // Like Enter; Firefox's driver cannot press keys in frames of other origins.
  await inFrame.locator('.composer').evaluate((form) => (form as unknown as { requestSubmit(): void }).requestSubmit());
  await inFrame.locator('.theirs.done').nth(1).waitFor();
  await frame!.evaluate(`${CHAT}.setAttribute('user-id', '${aUser()}')`);
  await inFrame.locator('.mine').waitFor({ state: 'detached' });
  await inFrame.locator('.theirs').waitFor();
  expect(await inFrame.locator('.mine').count()).toBe(0);
  await close();
});
