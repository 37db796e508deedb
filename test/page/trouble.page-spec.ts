import { ErasureService } from '../../src/erasure/index.js';
import { anOwner, aUser } from '../support/index.js';
import { inBrowser, type LaunchOptions, until, visit } from './browser.js';
import { start, Visitors, write } from './visitors.js';

const visitors = new Visitors({ devices: false });

const stored = async (user_id: string, project_id?: string) =>
  (await visitors.history(user_id, project_id)).map(({ request, answer }) => answer ?? request);
const AWAY = { status: 503, headers: { 'retry-after': '0' } };
const EXPIRED = {
  status: 403,
  body: '{"result":"failure","error":"token_expired","message":"The token has expired."}',
};

describe('the microphone', () => {
  it.each([
    ['is missing', { devices: false }, '127.0.0.1', /No microphone was found/],
    ['is refused', { blocked: true }, '127.0.0.1', /The microphone is blocked/],
    ['is not available to pages over plain HTTP', { hosts: ['plain.test'] }, 'plain.test', /only over HTTPS/],
  ])('%s: the page says so, and typing still works', (_, options: LaunchOptions, host, text) =>
    inBrowser(options, async (browser) => {
      const address = visitors.service.page(aUser(), '&chat-type=voice').replace('127.0.0.1', host);
      const { page } = await visit(browser, address, { blocked: options.blocked });
      await start(page);
      await page.locator('.microphone').click();
      expect(await page.getByRole('alert').innerText()).toMatch(text);
      await write(page, 'Hello');
      await page.locator('.theirs.done').nth(1).waitFor();
      expect(await page.locator('.alert').isVisible()).toBe(false);
    }),
  );
});

it('takes no user from the URL of a link', async () => {
  const { page, close } = await visit(visitors.browser, visitors.service.page(aUser()));
  await page.goto(`${visitors.service.proxy.url}/?user=mallory&user-hash=0123`);
  await page.locator('.start-button').waitFor();
  const chat = page.locator('avatar-chat');
  expect(await chat.getAttribute('user-id')).toMatch(/./);
  expect(await chat.getAttribute('user-id')).not.toBe('mallory');
  expect(await chat.getAttribute('user-hash')).toBeNull();
  await close();
});

describe('the connection', () => {
  it('is offline: the draft stays, and is sent once when it is back', async () => {
    const { page, user_id, close } = await visitors.open();
    await start(page);
    await page.locator('.top', { hasText: 'Start of conversation' }).waitFor();
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

  it('fails in the middle of an answer: what was said stays, is marked, and is stored once', async () => {
    const { page, user_id, close } = await visitors.open('&project-id=listening&avatar=puppet');
    await start(page);
    visitors.service.proxy.injectFaults(/POST \/chat/, { cutAfter: /"3 "/ });
    await write(page, 'count 9');
    await page.locator('.theirs.interrupted').waitFor();
    const answer = (await page.locator('.theirs.interrupted .text').innerText()).trim();
    expect((await stored(user_id, 'listening')).map((text) => text.trim())).toEqual([answer, 'count 9']);
    await close();
  });
});

describe('the service', () => {
  it('restarts: the page says so, keeps the draft, and continues', async () => {
    const { page, user_id, close } = await visitors.open();
    await start(page);
    await page.locator('.top', { hasText: 'Start of conversation' }).waitFor();
    await visitors.service.proxy.stop();
    await write(page, 'Still there?');
    await page.locator('.mine.failed').waitFor();
    await visitors.service.proxy.start();
    visitors.service.proxy.injectFaults(/POST \/chat/, AWAY, AWAY, AWAY);
    await page.locator('.mine .quiet').click();
    await until(() => visitors.service.proxy.seen.filter((one) => one === 'POST /chat').length >= 3, 'three attempts');
    await page.locator('.mine.failed').waitFor();
    await page.locator('.mine .quiet').click();
    await page.locator('.theirs.done').nth(1).waitFor();
    expect(await stored(user_id)).toHaveLength(2);
    await close();
  });

  it('fails at the start: the page says so, and offers a retry', async () => {
    visitors.service.proxy.injectFaults(/connection/, AWAY, AWAY, AWAY);
    const { page, close } = await visitors.open();
    expect(await page.getByRole('alert').innerText()).toMatch(/The service cannot answer at the moment/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('.start-button').waitFor();
    await close();
  });

  it('rejects the token twice: the page says so, does not try a third time, and keeps the draft', async () => {
    const { page, close } = await visitors.open();
    await start(page);
    await page.locator('.top', { hasText: 'Start of conversation' }).waitFor();
    visitors.service.proxy.seen.length = 0;
    visitors.service.proxy.injectFaults(/POST \/chat/, EXPIRED, EXPIRED);
    await write(page, 'Let me in');
    await page.locator('.mine.failed').waitFor();
    expect(await page.locator('.mine.failed').innerText()).toMatch(/Let me in[^]*refused twice/);
    expect(visitors.service.proxy.seen).toEqual(['POST /chat', 'POST /jwt', 'POST /chat']);
    await page.locator('.mine .quiet').click();
    await page.locator('.theirs.done').nth(1).waitFor();
    await close();
  });

  it('has no answer in time: the remaining time is shown, and a retry is offered', async () => {
    const { page, user_id, close } = await visitors.open('&project-id=impatient&avatar=puppet');
    await start(page);
    await write(page, 'hang');
    await page.locator('.theirs.waiting .left', { hasText: /^[12] s left$/ }).waitFor();
    await page.locator('.mine.failed').waitFor();
    expect(await page.locator('.mine.failed').innerText()).toMatch(/hang[^]*Puppet took too long to answer/);
    expect(await stored(user_id, 'impatient')).toEqual(['hang']);
    await close();
  });
});

it('a new conversation that cannot begin leaves the old one as it was', async () => {
  const { page, user_id, close } = await visitors.open('&project-id=listening&avatar=bruno&language=en');
  await start(page);
  await write(page, 'Hello');
  await page.locator('.theirs.done').nth(1).waitFor();
  visitors.service.proxy.injectFaults(/GET \/chat$/, AWAY, AWAY, AWAY);
  await page.locator('.renew').click();
  await page.getByRole('alert').filter({ hasText: 'cannot answer at the moment' }).waitFor();
  expect(await page.locator('.mine.done').count()).toBe(1);
  // What is removed on the service disappears here too.
  await visitors.service.test.app
    .get(ErasureService, { strict: false })
    .eraseUser(anOwner({ user_id, project_id: 'listening' }));
  await page.locator('.mine').waitFor({ state: 'detached' });
  await close();
});

it('a draft survives a failed answer', async () => {
  const { page, close } = await visitors.open('&project-id=listening&avatar=puppet');
  await start(page);
  await write(page, 'die 9');
  await page.locator('textarea').fill('And another thing');
  await page.locator('.mine.failed').waitFor();
  expect(await page.locator('.mine.failed').innerText()).toMatch(/Puppet could not answer/);
  expect(await page.locator('textarea').inputValue()).toBe('And another thing');
  // On the user's side.
  const ends = ['.text', '.problem'].map(async (part) => {
    const { x, width } = (await page.locator(`.mine.failed ${part}`).boundingBox())!;
    return Math.round(x + width);
  });
  const [text, problem] = await Promise.all(ends);
  expect(text).toBe(problem);
  await close();
});
