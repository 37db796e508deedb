import type { Page } from 'playwright-core';
import { ChatService, Owner } from '../../src/index.js';
import { EventStreams } from '../../src/conversations/event.streams.js';
import { Events, Signals } from '../../src/events/index.js';
import { type ConversationState, HandoverService } from '../../src/handover/index.js';
import { axeFaultsOf } from './axe.js';
import { chromiumIt, until, visit } from './browser.js';
import { Visitors, write } from './visitors.js';

const visitors = new Visitors({ devices: false });
const PUPPET = '&project-id=listening&avatar=puppet&language=en&chat-type=text';
const STAFFED = PUPPET.replace('listening', 'staffed');

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

/** Answers turns with these events. */
async function answerWith(page: Page, ...events: [string, object][]): Promise<void> {
  const body = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  await page.route(/\/chat$/, (route) => route.fulfill({ status: 200, contentType: 'text/event-stream', body }));
}

/** A visitor whose page follows the conversation, and what the service and its operators do. */
async function aVisitor(query = PUPPET, options: Parameters<typeof visit>[2] = {}) {
  const { app } = visitors.service.test;
  const streams = app.get(EventStreams);
  await until(() => streams.size === 0, 'the end of earlier visits');
  const { user_id, page, faults } = await visitors.open(query, options);
  await until(() => streams.size === 1, 'the event stream');
  const owner = new Owner(/project-id=(\w+)/.exec(query)![1]!, user_id);
  return {
    page,
    faults,
    user_id,
    streams,
    say: (answer: string, name?: string) => app.get(ChatService).say(owner, { avatar_id: 'puppet', answer, name }),
    change: (state: ConversationState, name?: string) =>
      app.get(HandoverService).change(owner, { state, name, by: 'operator' }),
    type: (name: string) => app.get(Signals).send(owner, 'typing', { avatar_id: 'puppet', name }),
  };
}

const texts = (page: Page) => page.locator('.messages li .text').allInnerTexts();
const done = (page: Page, count: number) =>
  until(async () => (await page.locator('.theirs.done').count()) === count, `${count} messages`);
const shown = (page: Page, text: string) => page.locator('.theirs.done', { hasText: text });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

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
  const items = (await list.locator('li').allInnerTexts()).map((text) => text.replace(/\n+/, ': '));
  expect(items).toEqual(['Handbook: The lamp dims.', 'Notes: <b>No markup</b>']);
  expect(await list.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    'https://a.example/lamps',
  ]);
  await close();
});

describe('messages that come by themselves', () => {
  it('appear once and in order, wherever they come from, also after a lost connection', async () => {
    const { page, user_id, say } = await aVisitor();
    const { page: other } = await visit(visitors.browser, visitors.service.page(user_id, PUPPET));
    await say('Your table is ready.');
    await shown(page, 'Your table is ready.').waitFor();
    await write(page, 'count 30');
    await page.locator('.theirs.speaking').waitFor();
    await say('While it counts', 'Sam');
    await shown(page, 'While it counts').waitFor();
    await done(page, 4);
    await done(other, 4);
    await page.context().setOffline(true);
    await say('While it was away');
    await page.context().setOffline(false);
    await done(page, 5);
    const expected = [
      'At your service.',
      'Your table is ready.',
      'count 30',
      'While it counts',
      expect.stringMatching(/30$/),
      'While it was away',
    ];
    await done(other, 5);
    for (const tab of [page, other]) expect((await texts(tab)).map((text) => text.trim())).toEqual(expected);
    await page.reload();
    await done(page, 5);
    expect((await texts(page)).map((text) => text.trim())).toEqual(expected);
  });

  it('are counted while the panel is closed, until the element is removed, and those that are removed disappear', async () => {
    const { page, user_id, say, streams } = await aVisitor();
    await page.evaluate(`{
      const chat = document.querySelector('avatar-chat');
      globalThis.counts = [];
      chat.addEventListener('unread', ({ detail }) => counts.push(detail.count));
      chat.close();
    }`);
    await say('One');
    const { _id } = await say('Two');
    await until(() => page.evaluate<boolean>('counts.length === 2'), 'two unread messages');
    expect(await page.evaluate('counts')).toEqual([1, 2]);
    await page.evaluate(`document.querySelector('avatar-chat').open()`);
    await done(page, 3);
    const removed = { project_id: 'listening', user_id, ids: [_id] };
    await visitors.service.test.app.get(Events).emitAndWait('messages.removed', removed);
    await shown(page, 'Two').waitFor({ state: 'detached' });
    await page.evaluate(`document.querySelector('avatar-chat').destroy()`);
    await until(() => streams.size === 0, 'the end of the stream');
  });

  it('are spoken in conversations by voice, but not answers to what was said on another page', async () => {
    const { page, user_id, say } = await aVisitor(PUPPET.replace('chat-type=text', 'chat-type=voice'));
    const spoken: string[] = [];
    page.on('request', (request) => request.url().includes('/speech/messages/') && spoken.push(request.url()));
    const { page: other } = await visit(visitors.browser, visitors.service.page(user_id, PUPPET));
    await write(other, 'count 3');
    await done(page, 2);
    await page.bringToFront();
    // Firefox plays nothing on a page that nobody has touched.
    await page.locator('textarea').click();
    const { _id } = await say('Your table is ready, as you wished.');
    await page.locator('.stage.speaking').waitFor();
    expect(spoken).toEqual([expect.stringContaining(_id)]);
    await shown(page, 'Your table is ready').waitFor();
  });

  it('notify visitors who look at something else, if they have allowed it, and are not asked about it', async () => {
    const script = `globalThis.shown = [];
      globalThis.Notification = class extends EventTarget {
        static permission = 'granted';
        static requestPermission() { shown.push('asked'); }
        constructor(name, { body }) { super(); shown.push(name + ': ' + body); }
      };
      Object.defineProperty(document, 'visibilityState', { get: () => globalThis.looksAt ?? 'visible' });`;
    const { page, say } = await aVisitor(PUPPET, { script });
    await say('Seen');
    await shown(page, 'Seen').waitFor();
    await page.evaluate(`globalThis.looksAt = 'hidden'`);
    await say('**Your** table is ready.', 'Sam');
    await until(() => page.evaluate<boolean>('shown.length > 0'), 'a notification');
    await page.evaluate(`Notification.permission = 'default'`);
    await say('Not shown');
    await shown(page, 'Not shown').waitFor();
    expect(await page.evaluate('shown')).toEqual(['Sam: Your table is ready.']);
  });
});

describe('a person', () => {
  it('is asked for, takes over, types, answers, and hands back; who answers is said', async () => {
    const script = `globalThis.asked = 0;
      globalThis.Notification = class {
        static permission = 'default';
        static async requestPermission() { asked++; this.permission = 'granted'; }
      };`;
    const { page, faults, change, say, type } = await aVisitor(STAFFED, { script });
    const status = page.locator('.people [role=status]');
    await button(page, 'Ask for a person').focus();
    await page.keyboard.press('Enter');
    await status.getByText('If nobody comes within 5 min, Puppet answers again.').waitFor();
    expect(await page.evaluate('asked')).toBe(0);
    await button(page, 'Notify me').click();
    await button(page, 'Notify me').waitFor({ state: 'hidden' });
    expect(await page.evaluate('asked')).toBe(1);
    // Nothing is lost while nobody answers.
    await write(page, 'Is anybody there?');
    await page.locator('.mine.done').waitFor();
    await change('person', 'Sam');
    await status.getByText('Sam, a person, answers now.').waitFor();
    expect(await page.locator('textarea').getAttribute('placeholder')).toBe('Write to Sam…');
    await type('Sam');
    await page.getByRole('img', { name: 'Sam is typing…' }).waitFor();
    await say('I am Sam.');
    await shown(page, 'I am Sam.').waitFor();
    expect(await page.locator('.theirs.done .name').last().innerText()).toBe('Sam');
    expect(await page.locator('.dots').count()).toBe(0);
    expect(await page.locator('.unseen[role=status]').last().textContent()).toBe('Sam: I am Sam.');
    await page.reload();
    await status.getByText('Sam, a person, answers now.').waitFor();
    await button(page, 'Back to Puppet').click();
    await status.getByText('Puppet answers again.').waitFor();
    await write(page, 'Hello');
    await shown(page, 'You said: Hello').waitFor();
    expect((await texts(page)).slice(1)).toEqual(['Is anybody there?', 'I am Sam.', 'Hello', 'You said: Hello']);
    expect(faults).toEqual([]);
  });

  it('is shown as it is by now after a lost connection', async () => {
    const { page, change, streams } = await aVisitor(STAFFED);
    await write(page, 'Hello');
    await shown(page, 'You said: Hello').waitFor();
    await page.context().setOffline(true);
    for (const stream of streams['releases'].keys()) stream.endWith('going_away');
    await until(() => streams.size === 0, 'the end of the stream');
    await change('person', 'Sam');
    // The stream begins later than the change.
    visitors.service.test.clock.advance(1000);
    await page.context().setOffline(false);
    await page.locator('.people [role=status]').getByText('Sam, a person, answers now.').waitFor();
  });

  it('cannot be asked for where nobody can take over', async () => {
    const { page, change } = await aVisitor();
    await expect(change('waiting')).rejects.toMatchObject({ code: 'handover_disabled' });
    expect(await page.locator('.people').innerText()).toBe('');
  });

  chromiumIt('its colors are constant while it runs')('axe finds no fault, on a phone and in the dark', axeFindsNone);
});

async function axeFindsNone(): Promise<void> {
  const { page, change } = await aVisitor(STAFFED.replace('text', 'voice').replace('language=en', 'language=ar'), {
    viewport: { width: 360, height: 640 },
  });
  const status = page.locator('.people [role=status]');
  for (const state of ['waiting', 'person'] as const) {
    await change(state, state === 'person' ? 'Sam' : undefined);
    await status.getByText(state === 'person' ? 'Sam' : 'في انتظار').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = await axeFaultsOf(page, {}, { include: [{ fromShadowDom: ['avatar-chat', '.column'] }] });
      expect(found.map((fault) => [colorScheme, ...fault])).toEqual([]);
    }
    const { height } = (await page.locator('.messages').boundingBox())!;
    expect(height).toBeGreaterThanOrEqual(120);
  }
}
