import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { startDatabase, startService } from '../support/processes.mjs';
import { aUser } from '../support/index.js';
import { chromiumIt, launch, until, visit } from './browser.js';
import { enter } from './operators.js';
import { write } from './visitors.js';

/** The console and a visitor at different processes, of which one is killed. */
const ADMIN_KEY = randomBytes(24).toString('hex');

type Process<T extends (...given: never[]) => unknown> = Awaited<ReturnType<T>>;
let browser: Browser;
let database: Process<typeof startDatabase>;
let first: Process<typeof startService>;
let second: Process<typeof startService>;
let balancer: Server;
/** The port of the process that new connections of visitors get to. */
let target: number;

beforeAll(async () => {
  balancer = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  [browser, database] = await Promise.all([launch({ devices: false }), startDatabase()]);
  const env = {
    MONGODB_URI: database.uri,
    JWT_SECRET: randomBytes(32).toString('hex'),
    ADMIN_KEY,
    PUBLIC_URL: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
  };
  first = await startService(env);
  second = await startService(env);
  target = first.port;
}, 120_000);
afterAll(async () => {
  await browser.close();
  await Promise.all([first.stop('SIGKILL'), second.stop()]);
  await database.stop();
  balancer.close();
});

async function admin(path: string, body?: object): Promise<string> {
  const response = await fetch(`${second.url}/admin/${path}`, {
    method: body ? 'PUT' : 'GET',
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

const shown = (page: Page, text: string) => page.locator('.theirs.done', { hasText: text });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

it('a visitor and an operator at two processes go on after one of them was killed, and nothing is lost', async () => {
  const { projects } = JSON.parse(await admin('catalogue')) as { projects: { project_id: string }[] };
  const project = projects.find(({ project_id }) => project_id === 'default');
  await admin('catalogue', { projects: [{ ...project, handover: { enabled: true } }] });
  const user = aUser();
  const url = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
  const visitor = await visit(browser, `${url}/?user=${user}&avatar=ada&language=en&chat-type=text`);
  const operator = await visit(browser, `${second.url}/console`);
  await enter(operator.page, ADMIN_KEY);
  await operator.page.locator('.top select').selectOption('default');

  await button(visitor.page, 'Ask for a person').click();
  await operator.page.getByRole('link', { name: user }).click();
  await button(operator.page, 'Take').click();
  await operator.page.getByText('You answer.').waitFor();
  const log = operator.page.getByRole('log', { name: 'Messages' });
  const reply = async (text: string) => {
    await operator.page.getByLabel('Answer').fill(text);
    await operator.page.keyboard.press('Enter');
    await shown(visitor.page, text).waitFor();
  };
  await reply('I am Sam.');
  await write(visitor.page, 'My lamp is broken.');
  await log.getByText('My lamp is broken.').waitFor();

  target = second.port;
  // The message is on its way when the process dies.
  await write(visitor.page, 'Are you still there?');
  first.process.kill('SIGKILL');
  await first.ended;
  await log.getByText('Are you still there?').waitFor();
  await reply('Yes, in another process.');
  await write(visitor.page, 'Thank you, Sam.');
  await log.getByText('Thank you, Sam.').waitFor();
  await button(operator.page, 'Hand back').click();
  await visitor.page.getByText('Ada answers again.').waitFor();
  await write(visitor.page, 'What is your name?');
  await until(async () => (await log.locator('.avatar').count()) > 0, 'an answer of the avatar');

  const said = [
    'I am Sam.',
    'My lamp is broken.',
    'Are you still there?',
    'Yes, in another process.',
    'Thank you, Sam.',
  ];
  const stored = (await admin(`messages?project_id=default&user_id=${user}`)).trim().split('\n');
  const texts = stored.map((line) => {
    const { direction, request, answer } = JSON.parse(line) as Record<string, string>;
    return direction === 'incoming' ? answer : request;
  });
  expect(texts.slice(0, 6)).toEqual([...said, 'What is your name?']);
  expect(texts).toHaveLength(7);
  await shown(visitor.page, texts[6]!.slice(0, 20)).waitFor();
  const onPage = await visitor.page.locator('.messages li:not(.past) .text').allInnerTexts();
  expect(onPage.map((text) => text.trim()).slice(-7)).toEqual(texts);
  expect(await log.locator('article p').allInnerTexts()).toEqual(texts);
  expect([...visitor.faults, ...operator.faults]).toEqual([]);
}, 120_000);

async function compareFeatures(): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { commandLine } = await session.send('SystemInfo.getInfo');
  const [byPlaywright, given, ...others] = commandLine
    .match(/(?<=--disable-features=)\S+/g)!
    .map((list) => list.split(','));
  expect(given).toEqual(expect.arrayContaining(byPlaywright!));
  expect(given!.length).toBeGreaterThan(byPlaywright!.length);
  expect(others).toEqual([]);
}

chromiumIt('it has no such list')('the browser has every feature off that Playwright switches off', compareFeatures);
