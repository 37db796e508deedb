import type { Browser, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, until, visit } from './browser.js';
import { type PageService, startPageService } from './service.js';

let browser: Browser;
let service: PageService;
beforeAll(async () => {
  [browser, service] = await Promise.all([launch({ devices: false }), startPageService()]);
});
afterAll(async () => {
  await browser.close();
  await service.close();
});

const open = async (query = '', options = {}) => {
  const user_id = aUser();
  return { user_id, ...(await visit(browser, service.page(user_id, query), options)) };
};
const start = (page: Page) => page.locator('.start-button').click();
const write = async (page: Page, text: string) => {
  await page.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
};
const stored = async (user_id: string, project_id = 'default') => {
  const token = await service.test.token(user_id, project_id);
  const { body } = await service.test.call({ path: `/chat?user_id=${user_id}`, token });
  return (body.payload as { request: string; answer?: string }[]).map(({ request, answer }) => answer ?? request);
};
const AWAY = { status: 503, headers: { 'retry-after': '0' } };
const EXPIRED = {
  status: 403,
  body: '{"result":"failure","error":"token_expired","message":"The token has expired."}',
};

describe('the microphone', () => {
  it.each([
    ['is missing', {}, /No microphone was found/],
    ['is refused', { blocked: true }, /The microphone is blocked/],
  ])('%s: the page says so, and one can write', async (name, options, text) => {
    const here = name === 'is refused' ? await launch() : browser;
    const { page, close } = await visit(here, service.page(aUser(), '&chat-type=voice'), options);
    await start(page);
    await page.locator('.microphone').click();
    expect(await page.getByRole('alert').innerText()).toMatch(text);
    await write(page, 'Hello');
    await page.locator('.theirs.done').nth(1).waitFor();
    expect(await page.locator('.alert').isVisible()).toBe(false);
    await close();
    if (here !== browser) await here.close();
  });

  it('is kept from a page over plain HTTP: it says why', async () => {
    const port = new URL(service.proxy.url).port;
    const here = await launch({ args: ['--host-resolver-rules=MAP plain.test 127.0.0.1'] });
    const user = aUser();
    const { page, close } = await visit(here, `http://plain.test:${port}/?user=${user}&chat-type=voice`);
    await start(page);
    await page.locator('.microphone').click();
    expect(await page.getByRole('alert').innerText()).toMatch(/only to pages over HTTPS or on localhost/);
    await write(page, 'Hello');
    await page.locator('.theirs.done').nth(1).waitFor();
    await close();
    await here.close();
  });
});

describe('the connection', () => {
  it('is gone: what was written stays, and is sent once when it is back', async () => {
    const { page, user_id, close } = await open();
    await start(page);
    await page.locator('.top', { hasText: 'began' }).waitFor();
    await page.context().setOffline(true);
    await write(page, 'Are you there?');
    await page.locator('.mine.failed').waitFor();
    expect(await page.locator('.mine.failed').innerText()).toMatch(/Are you there\?[^]*No connection/);
    await page.locator('.mine .quiet').click();
    await page.locator('.mine.waiting').waitFor();
    await page.locator('.mine.failed').waitFor();
    await page.context().setOffline(false);
    await page.locator('.mine .quiet').click();
    await page.locator('.theirs.done').nth(1).waitFor();
    expect(await stored(user_id)).toEqual([expect.any(String), 'Are you there?']);
    await close();
  });

  it('breaks in the middle of an answer: the answer is whole in the end, and stored once', async () => {
    const { page, user_id, close } = await open('&project-id=listening&avatar=puppet');
    await start(page);
    service.proxy.befall(/POST \/chat/, { cutAfter: /"3 "/ });
    await write(page, 'count 9');
    await page.locator('.theirs.done').nth(1).waitFor();
    const answer = (await page.locator('.theirs.done .text').nth(1).innerText()).trim();
    expect((await stored(user_id, 'listening')).map((text) => text.trim())).toEqual([answer, 'count 9']);
    await close();
  });
});

describe('the service', () => {
  it('restarts: the page says so, keeps what was written, and goes on', async () => {
    const { page, user_id, close } = await open();
    await start(page);
    await page.locator('.top', { hasText: 'began' }).waitFor();
    await service.proxy.stop();
    await write(page, 'Still there?');
    await page.locator('.mine.failed').waitFor();
    await service.proxy.start();
    service.proxy.befall(/POST \/chat/, AWAY, AWAY, AWAY);
    await page.locator('.mine .quiet').click();
    await until(() => service.proxy.seen.filter((one) => one === 'POST /chat').length >= 3, 'three attempts');
    await page.locator('.mine.failed').waitFor();
    await page.locator('.mine .quiet').click();
    await page.locator('.theirs.done').nth(1).waitFor();
    expect(await stored(user_id)).toHaveLength(2);
    await close();
  });

  it('cannot answer at the start: the page says so, and one can try again', async () => {
    service.proxy.befall(/connection/, AWAY, AWAY, AWAY);
    const { page, close } = await open();
    expect(await page.getByRole('alert').innerText()).toMatch(/The service cannot answer at the moment/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.start-button').waitFor();
    await close();
  });

  it('refuses the token twice: the page says so, asks no third time, and keeps what was written', async () => {
    const { page, close } = await open();
    await start(page);
    await page.locator('.top', { hasText: 'began' }).waitFor();
    service.proxy.seen.length = 0;
    service.proxy.befall(/POST \/chat/, EXPIRED, EXPIRED);
    await write(page, 'Let me in');
    await page.locator('.mine.failed').waitFor();
    expect(await page.locator('.mine.failed').innerText()).toMatch(/Let me in[^]*refused twice/);
    expect(service.proxy.seen).toEqual(['POST /chat', 'POST /jwt', 'POST /chat']);
    await page.locator('.mine .quiet').click();
    await page.locator('.theirs.done').nth(1).waitFor();
    await close();
  });

  it('has no answer in time: the time that is left is shown, and one can try again', async () => {
    const { page, user_id, close } = await open('&project-id=impatient&avatar=puppet');
    await start(page);
    await write(page, 'hang');
    await page.locator('.theirs.waiting .left', { hasText: /^[12] s left$/ }).waitFor();
    await page.locator('.mine.failed').waitFor();
    expect(await page.locator('.mine.failed').innerText()).toMatch(/hang[^]*Puppet took too long to answer/);
    expect(await stored(user_id, 'impatient')).toEqual(['hang']);
    await close();
  });
});

it('what is being written survives a failed answer', async () => {
  const { page, close } = await open('&project-id=listening&avatar=puppet');
  await start(page);
  await write(page, 'die 9');
  await page.locator('textarea').fill('And another thing');
  await page.locator('.mine.failed').waitFor();
  expect(await page.locator('.mine.failed').innerText()).toMatch(/Puppet could not answer/);
  expect(await page.locator('textarea').inputValue()).toBe('And another thing');
  await close();
});
