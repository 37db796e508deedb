import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { ChatService, Owner } from '../../src/index.js';
import { aTurn, aUser } from '../support/index.js';
import { axeFaultsOf } from './axe.js';
import { hold, isFirefox, until } from './browser.js';
import { ADMIN_KEY, enter, keyOf, Operators, SHOP } from './operators.js';

const operators = new Operators();

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const link = (page: Page, name: string) => page.locator('nav').getByRole('link', { name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const say = (user_id: string, request: string) =>
  operators.test.app.get(ChatService).record(aTurn({ owner: new Owner(SHOP, user_id), request }));

const SCHEMES = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
] as const;

/** The rules whose outcome depends on colors; all others are checked in those of the first scheme. */
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

async function faultsOf(page: Page): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const scheme of isFirefox ? SCHEMES.slice(0, 1) : SCHEMES)
    for (const width of [360, 1280, 1920]) {
      await page.emulateMedia(scheme);
      await page.setViewportSize({ width, height: 800 });
      const rules = scheme === SCHEMES[0] ? {} : { runOnly: OF_COLORS };
      found.push(...(await axeFaultsOf(page, rules)).map((fault) => [scheme, width, ...fault]));
      // Nothing but tables is wider than the window.
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      if (Number(overflow) > 0) found.push([scheme, width, `${String(overflow)} px too wide`]);
    }
  return found;
}

describe('signing in', () => {
  it('takes a key of operators, keeps it for this tab alone, and calls nothing but the service', async () => {
    const { page, faults, requests } = await operators.open();
    await enter(page, 'a key with spaces');
    const alert = page.getByRole('alert');
    await alert.getByText('This is no key of an operator.').waitFor();
    await enter(page, 'x'.repeat(40));
    await alert.getByText('This is no key of an operator.').waitFor();
    await enter(page, ADMIN_KEY);
    await heading(page, 'Inbox').or(heading(page, 'Users')).waitFor();
    const kept = await page.evaluate(`[Object.values(sessionStorage), localStorage.length, document.cookie]`);
    expect(kept).toEqual([expect.arrayContaining([ADMIN_KEY, 'Sam']), 0, '']);
    await page.reload();
    await heading(page, 'Inbox').or(heading(page, 'Users')).waitFor();
    const other = await page.context().newPage();
    await other.goto(operators.url);
    await other.getByLabel('Key').waitFor();
    const base = operators.url.replace(/console$/, '');
    const paths = requests.map((url) => url.replace(base, ''));
    expect(paths.filter((path) => !/^(console(\/(console\.js|icon\.svg))?$|admin\/)/.test(path))).toEqual([]);
    expect(requests.join()).not.toContain(ADMIN_KEY);
    await button(page, 'Sign out').click();
    await page.getByLabel('Key').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(faults).toEqual([]);
  });

  it('works in a browser that blocks storage, until the page is left', async () => {
    const { page, faults } = await operators.open();
    const blocked = `get() { throw new DOMException('blocked', 'SecurityError'); }`;
    await page.addInitScript(`Object.defineProperty(window, 'sessionStorage', { ${blocked} })`);
    await page.reload();
    await enter(page, ADMIN_KEY);
    await link(page, 'Users').click();
    await heading(page, 'Users').waitFor();
    await page.reload();
    await page.getByLabel('Key').waitFor();
    expect(faults).toEqual([]);
  });

  it('ends if the key is not valid any more', async () => {
    const { page } = await operators.signIn(ADMIN_KEY);
    await page.evaluate(`sessionStorage.setItem('avatar-chat-console-key', 'y'.repeat(40))`);
    await page.reload();
    await page.getByText('The key is not valid any more.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('can be repeated if the service cannot be reached', async () => {
    const { page } = await operators.signIn(ADMIN_KEY);
    await page.route('**/admin/projects', (route) => route.abort());
    await page.reload();
    await page.getByText('The service cannot be reached').waitFor();
    await page.unroute('**/admin/projects');
    await button(page, 'Try again').click();
    await link(page, 'Users').waitFor();
  });

  it.each([
    ['owner', ['Inbox', 'Users', 'Overview', 'Knowledge', 'Webhooks', 'Audit log']],
    ['agent', ['Inbox', 'Users']],
    ['viewer', ['Users', 'Overview']],
  ] as const)('offers the pages that a key of the role %s allows', async (role, pages) => {
    const { page, faults } = await operators.signIn(keyOf(role));
    expect(await page.locator('nav').getByRole('link').allInnerTexts()).toEqual(pages);
    expect(await page.getByLabel('Project').locator('option').allInnerTexts()).toEqual([SHOP]);
    expect(faults).toEqual([]);
  });
});

describe('users', () => {
  it('are found, exported, and erased after their identifier was typed', async () => {
    const [user_id, other] = [aUser(), aUser()];
    for (const each of [user_id, other]) await say(each, 'What is a cloud?');
    const { page } = await operators.signIn(keyOf('owner'), { hash: '#users' });
    await page.getByLabel('Part of a user’s identifier').fill(user_id);
    await page.keyboard.press('Enter');
    const row = page.getByRole('row').filter({ hasText: user_id });
    await page.getByText('1 user.').waitFor();
    // The driver of Firefox has no downloads.
    if (!isFirefox) {
      const download = page.waitForEvent('download');
      await button(page, `Export ${user_id}`).click();
      const exported = await readFile((await (await download).path())!, 'utf8');
      expect(exported.trim().split('\n')).toHaveLength(2);
    }
    await button(page, `Erase ${user_id}`).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this user?' });
    const erase = dialog.getByRole('button', { name: 'Erase' });
    expect(await erase.isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await row.count()).toBe(1);
    await button(page, `Erase ${user_id}`).click();
    await dialog.getByLabel(`Type ${user_id} to confirm`).fill(user_id);
    await erase.click();
    await page.getByText('No user was found.').waitFor();
    await link(page, 'Audit log').click();
    const entry = page.getByRole('row').filter({ hasText: 'user.erase' }).first();
    await entry.waitFor();
    expect(await entry.innerText()).toContain(hash('sha256', user_id).slice(0, 16));
    expect(await page.locator('main').innerText()).not.toContain(user_id);
  });

  it('are only listed for a viewer', async () => {
    await say(aUser(), 'Hello');
    const { page } = await operators.signIn(keyOf('viewer'), { hash: '#users' });
    await page.getByRole('table', { name: 'Users' }).waitFor();
    expect(await page.locator('main').getByRole('link').count()).toBe(0);
    expect(await page.locator('main').getByRole('button').allInnerTexts()).toEqual(['Search']);
  });
});

it('the overview counts, and draws turns by day', async () => {
  await say(aUser(), 'What is a cloud?');
  const { page, faults } = await operators.signIn(keyOf('viewer'), { hash: '#overview' });
  await heading(page, 'Overview').waitFor();
  await page.getByText('Open sessions').waitFor();
  await page.getByLabel('Period').selectOption('7 days');
  await until(async () => (await page.locator('.bar').count()) === 7, 'a bar for each day');
  expect(Number(await page.locator('dl div').filter({ hasText: 'Turns' }).locator('dd').innerText())).toBeGreaterThan(
    0,
  );
  expect(faults).toEqual([]);
});

it('knowledge is uploaded, searched and deleted', async () => {
  const { page, faults } = await operators.signIn(keyOf('owner'), { hash: '#knowledge' });
  await page.getByLabel('Knowledge base').fill('handbook');
  await page.keyboard.press('Enter');
  await page.getByText('This knowledge base has no documents.').waitFor();
  const file = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page
    .getByLabel('Add documents')
    .setInputFiles([
      file('warranty.txt', 'The Zephyr blender has a warranty of thirty-one months from the day of purchase.'),
      file('empty.txt', ''),
    ]);
  await button(page, 'Upload').click();
  await page.getByRole('row').filter({ hasText: 'warranty' }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'The document' }).waitFor();
  await page.getByLabel('Question').fill('How long is the warranty?');
  await page.keyboard.press('Enter');
  await page.locator('.passages').getByText('thirty-one months').waitFor();
  // Documents stay listed if the list that follows is lost.
  operators.losing = 'GET /admin/knowledge/handbook/documents';
  await page.getByLabel('Add documents').setInputFiles([file('more.txt', 'More of it.')]);
  await button(page, 'Upload').click();
  await page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).waitFor();
  await page.getByRole('row').filter({ hasText: 'warranty' }).waitFor();
  operators.losing = undefined;
  await page.getByLabel('Knowledge base').press('Enter');
  await button(page, 'Delete more').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('row').filter({ hasText: 'more' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^Delete / }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('This knowledge base has no documents.').waitFor();
  expect(faults).toEqual([]);
});

it('a question that an avatar could not answer is answered in the page, and from then on by the avatar', async () => {
  const { test } = operators;
  const token = await test.token(aUser(), SHOP);
  const ask = async () =>
    (await test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'ada', request: asked } })).body;
  const asked = `How long is the <warranty> of the Zephyr ${aUser().slice(-6)} blender of 1.5 l?`;
  await ask();
  const { page, faults } = await operators.signIn(keyOf('owner'), { hash: '#knowledge' });
  const open = async (base: string) => {
    const listed = page.waitForResponse((response) => response.url().includes(`/knowledge/${base}/documents`));
    await page.getByLabel('Knowledge base').fill(base);
    await page.keyboard.press('Enter');
    await listed;
  };
  const headers = { Authorization: `Bearer ${ADMIN_KEY}` };
  const store = async (title: string, base = 'ada') => {
    const url = `${operators.url.replace(/console$/, 'admin')}/knowledge/${base}/documents?project_id=${SHOP}`;
    const body = new FormData();
    body.append('title', title);
    body.append('file', new File([`# Warranty\n\nNobody knows.`], 'other.md'));
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(201);
  };
  // Neither is an answer to the question.
  for (const other of [`${asked} (de)`, `${asked.replace('1.5', '15')} (en)`]) await store(other, 'others');
  await open('others');
  await page
    .getByRole('button', { name: /^Delete / })
    .first()
    .waitFor();
  const row = page.locator('section').getByRole('row').filter({ hasText: asked });
  await row.getByRole('button', { name: `Write an answer: ${asked}` }).waitFor();
  await open('ada');
  await page.getByText('This knowledge base has no documents.').waitFor();
  await row.getByRole('button', { name: `Write an answer: ${asked}` }).press('Enter');
  // The focus is where the operator goes on.
  await page.keyboard.type('Thirty-one months <b>from</b> the day of purchase.');
  expect(await faultsOf(page)).toEqual([]);
  await link(page, 'Users').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  // Another operator is faster.
  await store(`${asked.toUpperCase()}! (en)`);
  // The answer belongs to the base that was open before.
  await open('handbook');
  await page.getByText('This knowledge base has no documents.').waitFor();
  await button(page, 'Save').click();
  await page.getByRole('dialog', { name: 'Replace it?' }).getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByLabel('Answer', { exact: true }).inputValue()).toContain('Thirty-one months');
  // It is stored, but the response is lost: the next attempt does not ask about one's own answer.
  operators.losing = 'POST /admin/knowledge/ada/documents';
  await button(page, 'Save').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  const lost = page.locator('section').getByRole('alert').getByText('The service cannot be reached');
  await lost.waitFor();
  operators.losing = undefined;
  await button(page, 'Save').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await page.getByText('This knowledge base has no documents.').waitFor();
  await open('ada');
  await row.getByText('Answered').waitFor();
  const again = async (question: string) => {
    await button(page, `Answer again: ${asked}`).press('Enter');
    await page.keyboard.type('Thirty-one months <b>from</b> the day of purchase.');
    expect(await page.getByLabel('Question of the document').inputValue()).toBe(asked);
    await page.getByLabel('Question of the document').fill(question);
    await button(page, 'Save').click();
    await page.getByText('Saved.', { exact: true }).waitFor();
  };
  await again(asked);
  // The search shows it.
  await page.locator('.passages').getByText('Thirty-one months <b>from</b>').waitFor();
  expect(await page.getByLabel('Question').inputValue()).toBe(asked);
  // What visitors should not see is left out. Without a response, no former passages are below the question.
  operators.losing = 'GET /admin/knowledge/ada/search';
  await again('How long is the warranty of a blender?');
  await lost.waitFor();
  expect(await page.locator('.passages').count()).toBe(0);
  operators.losing = undefined;
  await row.getByText('Answered').waitFor();
  await page.getByRole('row').filter({ hasText: 'How long is the warranty of a blender? (en)' }).waitFor();
  expect(await page.getByLabel('Question').inputValue()).toBe('How long is the warranty of a blender?');
  expect(await page.locator(':focus').getAttribute('aria-label')).toBe(`Answer again: ${asked}`);
  const { incoming } = await ask();
  expect(incoming.answer).toContain('Thirty-one months <b>from</b> the day of purchase.');
  // It is one of this base only.
  await open('handbook');
  await row.getByRole('button', { name: /^Write an answer/ }).waitFor();
  // Of two periods, the later choice is shown, or nothing.
  await hold(page, '**/quality?days=7');
  // Firefox's driver does not tell of it.
  const aborted = isFirefox || page.waitForEvent('requestfailed', (request) => request.url().endsWith('days=7'));
  await page.getByLabel('Period').selectOption('7 days');
  operators.losing = 'GET /admin/projects/shop/quality?days=90';
  await page.getByLabel('Period').selectOption('90 days');
  await Promise.all([aborted, lost.waitFor()]);
  expect(await row.count()).toBe(0);
  operators.losing = undefined;
  expect(faults).toEqual([]);
});

describe('axe', () => {
  const PAGES = ['inbox', 'users', 'overview', 'knowledge', 'avatars', 'project', 'webhooks', 'audit'] as const;

  it('finds no fault in the sign-in', async () => {
    const { page } = await operators.open();
    await page.getByLabel('Key').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  it.each(PAGES)('finds no fault in the page %s', async (name) => {
    await say(aUser(), 'What is a cloud?');
    const { page } = await operators.signIn(ADMIN_KEY, { hash: `#${name}` });
    await page.locator('.top select').selectOption(SHOP);
    await page.locator('main h1').waitFor();
    await page.locator('main').locator('.note, table, .entry').first().waitFor();
    await page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);
    expect(await faultsOf(page)).toEqual([]);
  });
});

it('speaks German to browsers that do', async () => {
  const { page, faults } = await operators.open({ locale: 'de-AT' });
  await page.getByLabel('Schlüssel').fill(ADMIN_KEY);
  await page.getByLabel('Dein Name').fill('Sam');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.locator('nav').getByRole('link', { name: 'Überblick' }).click();
  await heading(page, 'Überblick').waitFor();
  await page.getByText('Offene Sitzungen').waitFor();
  await page.locator('nav').getByRole('link', { name: 'Avatare' }).click();
  await page.getByRole('button', { name: 'Begrüßung anhören' }).waitFor();
  expect(await page.locator('html').getAttribute('lang')).toBe('de');
  await page.route('**/admin/**', (route) => route.fulfill({ status: 401, json: {} }));
  await page.reload();
  await page.getByText('Der Schlüssel gilt nicht mehr.').waitFor();
  expect(faults).toEqual([]);
});
