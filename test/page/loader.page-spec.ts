import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, visit } from './browser.js';
import { Hosts } from './hosts.js';
import { type PageService, startPageService } from './service.js';

let browser: Browser;
let service: PageService;
const hosts = new Hosts();
/** Forwards paths below a prefix, without it. */
const proxy = createServer((incoming, outgoing) => {
  const { method, headers, url = '' } = incoming;
  const path = url.replace(/^\/sub\/talk/, '');
  if (path === url) return outgoing.writeHead(404).end();
  const forwarded = request(`${service.proxy.url}${path}`, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
});

const page = (script: string, attributes = `service="${service.proxy.url}"`) => `<!doctype html>
  <html lang="en"><title>A page</title>${script}
  <avatar-chat ${attributes} project-id="listening" avatar="ada" language="ar" chat-type="voice"></avatar-chat></html>`;

beforeAll(async () => {
  await hosts.start();
  [browser, service] = await Promise.all([launch(), startPageService({ corsOrigins: [hosts.site] })]);
  const loader = () => readFileSync('dist/web/widget/widget.js', 'utf8');
  hosts.add('/js/widget.js', loader);
  hosts.add('/js/bundle.js', () => `globalThis.isBundle = true;${loader()}`);
  hosts.add('/module', () => page('<script type="module" src="/js/widget.js"></script>'));
  hosts.add('/import', () => page(`<script>import('/js/widget.js')</script>`));
  hosts.add('/bundle', () => page('<script src="/js/bundle.js"></script>'));
  hosts.add('/evaluated', () =>
    page(`<script>fetch('/js/widget.js').then((response) => response.text()).then((text) => eval(text))</script>`),
  );
  hosts.add('/nowhere', () => page('<script type="module" src="/js/widget.js"></script>', ''));
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  hosts.stop();
  await browser.close();
  await service.close();
});

it.each(['/module', '/import', '/bundle', '/evaluated'])(
  'finds its files by the attribute service: %s',
  async (path) => {
    const { page, requests, close } = await visit(browser, `${hosts.site}${path}`);
    await page.locator('.panel[lang=ar] textarea').waitFor();
    await page.locator('.microphone').click();
    await page.locator('.microphone.hearing').waitFor();
    const scripts = requests.filter((url) => /widget\.\w+\.js$/.test(url));
    expect(scripts.map((url) => url.replace(service.proxy.url, '')).sort()).toEqual([
      '/widget.app.js',
      '/widget.ar.js',
      '/widget.live.js',
    ]);
    await close();
  },
);

it('says what is missing if it cannot know where its files are', async () => {
  const { page, faults, close } = await visit(browser, `${hosts.site}/nowhere`);
  await page.getByRole('alert').waitFor();
  expect(faults.join()).toMatch(/avatar-chat: Set the attribute service/);
  await close();
});

it('the page works behind a proxy that removes a prefix', async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  const query = `?user=${aUser()}&avatar=ada&language=en&chat-type=text`;
  const { page, faults, close } = await visit(browser, `http://127.0.0.1:${port}/sub/talk/${query}`);
  await page.locator('textarea').fill('Hello');
  await page.keyboard.press('Enter');
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(await page.locator('#links a').evaluate((link) => (link as unknown as { href: string }).href)).toBe(
    `http://127.0.0.1:${port}/sub/talk/docs`,
  );
  // Pictures have the service's public address.
  expect(faults.filter((fault) => !/blocked by CORS/.test(fault))).toEqual([]);
  await close();
});
