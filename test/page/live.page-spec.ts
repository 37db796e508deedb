import { isMediaEnded, until, visit, WATCH_MEDIA } from './browser.js';
import { ADMIN_KEY, enter, keyOf } from './operators.js';
import { mouthsUntil, start, Visitors, write } from './visitors.js';

// So rarely that an answer starts before the next time, even on a busy machine.
const visitors = new Visitors(
  { period: 14 },
  { adminKey: ADMIN_KEY, adminKeys: [{ name: 'agent', role: 'agent', project: 'staffed', key: keyOf('agent') }] },
);

const talk = async (type: string, project_id = 'listening') => {
  const query = `&chat-type=${type}&project-id=${project_id}&avatar=ada`;
  const opened = await visitors.open(query, { script: WATCH_MEDIA });
  await start(opened.page);
  // The greeting.
  await opened.page.locator('.stage.speaking').waitFor();
  return opened;
};

it('a conversation: heard, answered with a moving mouth, interrupted, muted, typed; it is stored as it was shown', async () => {
  const { page, user_id, faults, requests, close } = await talk('voice');
  await page.locator('.suggestions button').first().waitFor();
  await page.getByRole('button', { name: 'Start listening' }).click();
  await page.locator('.microphone.hearing').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  await page.locator('.suggestions').waitFor({ state: 'hidden' });
  await page.locator('.stage.speaking').waitFor();
  // The story is longer than the time until the microphone hears somebody again.
  const mouths = await mouthsUntil(page, page.locator('.theirs.interrupted').first().waitFor());
  expect(mouths.length).toBeGreaterThan(4);
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByText('You are muted').waitFor();
  // Its name says what it does: a state besides would say the opposite.
  for (const name of ['Unmute', 'Stop listening'])
    expect(await page.getByRole('button', { name }).getAttribute('aria-pressed')).toBeNull();
  // The interruption is answered too; otherwise that answer may start at any time from here on.
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).nth(1).waitFor();
  await page.locator('.theirs.interrupted ~ .theirs.speaking').waitFor();
  await write(page, 'Hello');
  await page.locator('.mine.done', { hasText: 'Hello' }).waitFor();
  await page.locator('.mine:has-text("Hello") + .theirs.done').waitFor();
  await page.locator('.stage:not(.speaking)').waitFor();
  expect(await page.evaluate('tracks.map(({ enabled }) => enabled)')).toEqual([false]);
  await page.getByRole('button', { name: 'Stop listening' }).click();
  await until(() => isMediaEnded(page), 'the end of microphone and connection');
  const shown = await page.locator('.theirs .text').allInnerTexts();
  const stored = (await visitors.history(user_id, 'listening')).toReversed();
  expect(stored.flatMap(({ answer }) => answer || [])).toEqual(shown.slice(1));
  expect(stored.every(({ chat_type, fileUrl }) => chat_type === 'voice' && fileUrl === undefined)).toBe(true);
  await page.reload();
  await page
    .locator('.theirs')
    .nth(shown.length - 1)
    .waitFor();
  expect((await page.locator('.theirs .text').allInnerTexts()).toSorted()).toEqual(shown.toSorted());
  expect(requests.filter((url) => url.endsWith('/chat'))).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

it('captions show a live answer from its first sentence', async () => {
  const { page, close } = await talk('voice');
  await page.getByRole('button', { name: 'Captions' }).click();
  await page.getByRole('button', { name: 'Start listening' }).click();
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.evaluate(`{
    const captions = document.querySelector('avatar-chat').shadowRoot.querySelector('.captions');
    globalThis.shown = new Set();
    new MutationObserver(() => captions.hidden || shown.add(captions.textContent)).observe(captions, { childList: true });
  }`);
  await write(page, 'Hello');
  const answer = await page.locator('.mine + .theirs.done .text').innerText();
  await page.locator('.stage:not(.speaking)').waitFor();
  const shown = (await page.evaluate<string[]>('[...shown]')).map((text) => text.trim());
  expect(answer.startsWith(shown[0]!)).toBe(true);
  expect(answer.endsWith(shown.at(-1)!)).toBe(true);
  await close();
});

it('ended in the middle of an answer, it appears once, as far as it was heard: here, after a visit elsewhere, in another tab', async () => {
  const { page, user_id, close } = await talk('voice');
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator('.start-button, textarea').first().waitFor();
  if (await other.locator('.start-button').isVisible()) await start(other);
  await page.bringToFront();
  await page.getByRole('button', { name: 'Start listening' }).click();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).waitFor();
  await page.locator('.stage.speaking').waitFor();
  await page.locator('.theirs.speaking').waitFor();
  await page.waitForTimeout(1500);
  await page.getByRole('button', { name: 'Stop listening' }).click();
  await page.locator('.theirs.interrupted').waitFor();
  await other.locator('.theirs .text').nth(1).waitFor();
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
  await page.waitForTimeout(1000);
  const stored = (await visitors.history(user_id, 'listening')).filter(({ request }) => request).toReversed();
  expect(stored).toHaveLength(2);
  for (const tab of [page, other]) {
    expect(await tab.locator('.mine .text').allInnerTexts()).toEqual(['Tell me a story']);
    // The greeting is above.
    expect((await tab.locator('.theirs .text').allInnerTexts()).slice(1)).toEqual([stored[1]!.answer]);
  }
  await page.reload();
  await page.locator('.theirs.interrupted').waitFor();
  expect(await page.locator('.theirs .text').allInnerTexts()).toContain(stored[1]!.answer);
  await close();
});

it('a person who is asked for by voice takes over in the console, is heard, and hands back', async () => {
  const { page, user_id, faults } = await talk('voice', 'staffed');
  const status = page.locator('.people [role=status]');
  await page.getByRole('button', { name: 'Start listening' }).click();
  // The microphone's file begins again until it is muted: the same may be said twice.
  await page.locator('.mine.done', { hasText: 'I want to talk to a person' }).first().waitFor();
  await page.getByRole('button', { name: 'Mute' }).click();
  await status.getByText('Waiting for a person').waitFor();
  const { page: desk } = await visit(visitors.browser, `${visitors.service.proxy.url}/console`);
  await enter(desk, keyOf('agent'));
  await desk.getByRole('region', { name: 'Waiting' }).getByRole('link', { name: user_id }).click();
  await desk.getByRole('button', { name: 'Take', exact: true }).click();
  await status.getByText('Sam, a person, answers now.').waitFor();
  await desk.getByText('You answer.').waitFor();
  await desk.getByLabel('Answer').fill('I am Sam, and it is a pleasure to talk with you.');
  await desk.keyboard.press('Enter');
  await page.locator('.theirs.done', { hasText: 'I am Sam' }).waitFor();
  await page.locator('.stage.speaking').waitFor();
  await write(page, 'Thank you, Sam.');
  await desk.getByRole('log').getByText('Thank you, Sam.').waitFor();
  await desk.getByRole('button', { name: 'Hand back' }).click();
  await status.getByText('Ada answers again.').waitFor();
  await write(page, 'Hello');
  await page.locator('.mine:has-text("Hello") + .theirs.done').waitFor();
  const said = (await visitors.history(user_id, 'staffed')).toReversed().map((one) => one.answer ?? one.request);
  const WANTED = 'I want to talk to a person';
  const times = said.findIndex((text) => text !== WANTED);
  expect(said.slice(times - 1, times + 2)).toEqual([WANTED, expect.stringMatching('I am Sam'), 'Thank you, Sam.']);
  // The greeting is above.
  expect((await page.locator('.messages li .text').allInnerTexts()).slice(1)).toEqual(said);
  expect(faults).toEqual([]);
});

it('push to talk, with a self-view: one press starts, another sends; leaving ends everything', async () => {
  const { page, user_id, close } = await talk('video');
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.getByRole('button', { name: 'Record' }).click();
  await page.locator('.preview').waitFor();
  // Longer than a silence that would end it hands-free.
  await page.waitForTimeout(3000);
  expect(await page.locator('.mine').count()).toBe(0);
  await page.getByRole('button', { name: 'Send the recording' }).click();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).waitFor();
  await until(
    () => page.evaluate<boolean>(`tracks.every(({ readyState }) => readyState === 'ended')`),
    'a closed microphone',
  );
  await page.locator('.stage.speaking').waitFor();
  await page.locator('.back').click();
  await until(() => isMediaEnded(page), 'the end of the connection');
  const [, message] = await visitors.history(user_id, 'listening');
  expect(message).toMatchObject({ request: 'Tell me a story', chat_type: 'video' });
  await close();
});

it('push to talk: a double press opens one microphone, and nothing stays open', async () => {
  const { page, close } = await talk('voice');
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.getByRole('button', { name: 'Record' }).click();
  const send = page.getByRole('button', { name: 'Send the recording' });
  await send.click();
  // The first one was open before the session.
  await page.locator('.microphone').dblclick();
  await send.click();
  await page.locator('.back').click();
  await until(() => isMediaEnded(page), 'the end of microphone and connection');
  expect(await page.evaluate('tracks.length')).toBe(2);
  await close();
});

it('push to talk: a recording that cannot be sent, since the connection is lost, is dropped, and the page says so', async () => {
  const { page, close } = await talk('voice');
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.getByRole('button', { name: 'Record' }).click();
  const send = page.getByRole('button', { name: 'Send the recording' });
  await send.waitFor();
  const restore = visitors.service.proxy.injectFaults(/realtime$/, ...Array<'drop'>(6).fill('drop'));
  await page.evaluate('sockets[0].close(3000)');
  await page.getByText('Reconnecting').waitFor();
  await send.click();
  await page.getByRole('alert').filter({ hasText: 'no connection' }).waitFor();
  await page.getByRole('button', { name: 'Record' }).waitFor();
  expect(await page.locator('.mine').count()).toBe(0);
  restore();
  await close();
});

it.each([
  // Lost, not closed on purpose.
  ['lost connection', 'sockets[0].close(3000)'],
  ['network that was away', `dispatchEvent(new Event('offline'))`],
])('continues after a %s', async (_, lose) => {
  const { page, close } = await talk('voice');
  await page.getByRole('button', { name: 'Start listening' }).click();
  await page.locator('.microphone.hearing').waitFor();
  await page.evaluate(lose);
  await page.getByText('Reconnecting').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  expect(await page.evaluate('sockets.length')).toBe(2);
  await close();
});

it('records speech if live conversations are not possible, and says so', async () => {
  const { page, user_id, close } = await talk('voice');
  visitors.service.proxy.injectFaults(/realtime$/, 'drop', 'drop');
  await page.getByRole('button', { name: 'Start listening' }).click();
  await page.getByText('A live conversation is not possible at the moment').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  const [message] = (await visitors.history(user_id, 'listening')).filter(({ direction }) => direction === 'outgoing');
  expect(message).toMatchObject({ fileUrl: expect.stringContaining('/files/') });
  await close();
});

it('send() resolves when the live answer is complete', async () => {
  const { page, close } = await talk('voice');
  // Hands-free, the voice would interrupt the answer.
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.getByRole('button', { name: 'Record' }).click();
  await page.getByRole('button', { name: 'Send the recording' }).waitFor();
  const states = await page.evaluate<string[]>(`(async () => {
    const chat = document.querySelector('avatar-chat');
    const states = [];
    chat.addEventListener('turn', ({ detail }) => states.push(detail.state));
    await chat.send('What is the moon?');
    return [...states];
  })()`);
  expect(states).toContain('answered');
  await close();
});
