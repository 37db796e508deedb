import type { Page } from 'playwright-core';
import { Visitors, write } from './visitors.js';

const visitors = new Visitors({ devices: false });
const PUPPET = '&project-id=listening&avatar=puppet&language=en&chat-type=text';

const message = (_id: string, fields: object) => ({
  _id,
  date: Date.now(),
  user_id: 'ann',
  request: 'Hello',
  avatar_id: 'puppet',
  chat_type: 'text',
  language_code: 'en',
  ...fields,
});

/** Answers turns with these events. @returns how often */
async function answerWith(page: Page, ...events: [string, object][]): Promise<() => number> {
  let times = 0;
  const body = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  await page.route(/\/chat$/, (route) => {
    times++;
    return route.fulfill({ status: 200, contentType: 'text/event-stream', body });
  });
  return () => times;
}

it('shows the passages that an answer is based on', async () => {
  const { page, close } = await visitors.open(PUPPET);
  const sources = [
    { document_id: 'a', title: 'Handbook', url: 'https://a.example/lamps', text: 'The lamp dims.' },
    { document_id: 'b', title: 'Notes', url: 'javascript:go()', text: '<b>No markup</b>' },
  ];
  await answerWith(
    page,
    ['outgoing', message('o', { direction: 'outgoing' })],
    ['delta', { text: 'It dims.' }],
    ['sources', { sources }],
    ['incoming', message('i', { direction: 'incoming', answer: 'It dims.', avatar_name: 'Puppet' })],
  );
  await write(page, 'Hello');
  const list = page.locator('.theirs.done .sources');
  await list.getByText('Sources').click();
  const texts = (await list.locator('li').allInnerTexts()).map((text) => text.replace(/\n+/, ': '));
  expect(texts).toEqual(['Handbook: The lamp dims.', 'Notes: <b>No markup</b>']);
  expect(await list.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://a.example/lamps',
  ]);
  await close();
});

it('waits for nothing if a person will answer', async () => {
  const { page, close } = await visitors.open(PUPPET);
  const times = await answerWith(
    page,
    ['outgoing', message('o', { direction: 'outgoing' })],
    ['conversation', { state: 'waiting' }],
  );
  await write(page, 'Hello');
  await page.locator('.mine.done').waitFor();
  await page.locator('.theirs.waiting').waitFor({ state: 'detached' });
  expect([times(), await page.locator('.stop').isVisible(), await page.locator('.problem').count()]).toEqual([
    1,
    false,
    0,
  ]);
  await close();
});
