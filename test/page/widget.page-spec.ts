import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, styleOf, until, visit } from './browser.js';
import { type PageService, startPageService } from './service.js';

let browser: Browser;
let service: PageService;
let host: Server;
let site: string;
let policy: string;

/** The page that docs/widget.md shows, with this service. */
const example = () => {
  const [, page = ''] = /^```html\n([^]*?)^```/m.exec(readFileSync('docs/widget.md', 'utf8')) ?? [];
  return page.replaceAll('https://chat.example.org', service.proxy.url);
};

beforeAll(async () => {
  host = createServer((request, response) => {
    if (request.url === '/favicon.ico') return response.writeHead(204).end();
    const html = request.url === '/inline' ? example().replace(' floating', '') : example();
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(html);
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  // Another origin, by its name too.
  site = `http://localhost:${(host.address() as AddressInfo).port}`;
  [browser, service] = await Promise.all([launch(), startPageService({ corsOrigins: [site] })]);
  policy = [
    "default-src 'none'",
    `script-src ${service.proxy.url}`,
    `connect-src ${service.proxy.url}`,
    "require-trusted-types-for 'script'",
  ].join('; ');
});
afterAll(async () => {
  host.closeAllConnections();
  host.close();
  await browser.close();
  await service.close();
});

it('talks on a page of another origin, under a strict policy', async () => {
  const { page, faults, close } = await visit(browser, site);
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
  // The one thing that such a policy does not let it have: the portrait moves in its place.
  expect(faults.filter((fault) => !/media.*idle\.webm|idle\.webm.*media/i.test(fault))).toEqual([]);
  await launcher.click();
  expect(await page.locator('.panel').isVisible()).toBe(false);
  await close();
});

it('hears and sends nothing any more once its panel is closed, and goes on where it was', async () => {
  const script = `{
    const media = navigator.mediaDevices;
    const open = media.getUserMedia.bind(media);
    globalThis.tracks = [];
    media.getUserMedia = async (wanted) => {
      const stream = await open(wanted);
      tracks.push(...stream.getTracks());
      return stream;
    };
  }`;
  const { page, requests, close } = await visit(browser, site, { script });
  const launcher = page.locator('.launcher');
  await launcher.click();
  await page.locator('label[data-value=video]').click();
  await page.locator('.start-button').click();
  // Closed while it listens, and while it is still about to.
  for (const heard of [true, false]) {
    await page.locator('button.microphone').click();
    if (heard) await page.locator('button.microphone.hearing').waitFor();
    await launcher.click();
    await until(async () => {
      const states = await page.evaluate<string[]>('tracks.map(({ readyState }) => readyState)');
      return states.length > 0 && states.every((state) => state === 'ended');
    }, 'the end of microphone and camera');
    // What the microphone hears comes again after six seconds.
    await page.waitForTimeout(7000);
    await launcher.click();
  }
  expect(requests.filter((url) => url.endsWith('/chat'))).toEqual([]);
  await page.locator('textarea').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.theirs.done').nth(1).waitFor();
  await close();
});

it('shows its pictures without img-src, and drawings without anything in them that acts', async () => {
  const { page, close } = await visit(browser, `${site}/inline`);
  await page.locator('.avatars canvas').nth(2).waitFor();
  await page.locator('.start-icon svg').first().waitFor();
  expect(await page.locator('.avatars img').count()).toBe(0);
  await close();
});

it('starts anew for another user', async () => {
  const { page, close } = await visit(browser, `${site}/inline`);
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

it('is refused to origins that are not on the list', async () => {
  const { page, close } = await visit(browser, site.replace('localhost', '127.0.0.1'));
  await page.locator('.launcher').click();
  expect(await page.getByRole('alert').innerText()).toMatch(/No connection/);
  await close();
});
