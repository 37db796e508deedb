import type { Page } from 'playwright-core';
import { styleOf, until } from './browser.js';
import { start, Visitors, write } from './visitors.js';

const visitors = new Visitors();

const focusedIn = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector('avatar-chat').shadowRoot.activeElement?.outerHTML ?? ''`);

const open = async (project_id: string, type = 'voice') => {
  const opened = await visitors.open(`&chat-type=${type}&project-id=${project_id}`);
  await start(opened.page);
  return opened;
};
/** The mouths that are seen until the avatar has spoken. */
const mouthsOf = async (page: Page) => {
  const seen = new Set<string>();
  await page.locator('.stage.speaking').waitFor();
  await until(async () => {
    for (const id of await page
      .locator('.portrait [id^="mouth-"]:not([display])')
      .evaluateAll((all) => all.map((one) => one.id)))
      seen.add(id);
    return (await page.locator('.stage.speaking').count()) === 0;
  }, 'the end of the answer');
  return seen;
};

it('an answer is spoken with a moving mouth, and the idle video gives way to it', async () => {
  const { page, close } = await open('default');
  const opacity = (value: string) =>
    until(
      async () => (await styleOf(page.locator('.stage video'), 'opacity')) === value,
      `a video with opacity ${value}`,
    );
  await page.locator('.stage.has-video.has-portrait').waitFor();
  await opacity('1');
  await write(page, 'Tell me a joke');
  await page.locator('.stage.speaking').waitFor();
  await opacity('0');
  expect((await mouthsOf(page)).size).toBeGreaterThan(3);
  await opacity('1');
  await page.locator('.theirs.done .play').click();
  await page.locator('.stage.speaking').waitFor();
  await close();
});

it('the greeting is written and spoken in the chosen language, with a moving mouth', async () => {
  const { page, faults, close } = await visitors.open('&chat-type=voice&avatar=ada&language=fr');
  await page.locator('.avatars', { hasText: 'je suis Ada' }).waitFor();
  await page.locator('label[data-value=de]').click();
  await page.locator('.avatars', { hasText: 'ich bin Ada' }).waitFor();
  await page.locator('label[data-value=bruno]').click();
  await start(page);
  await page.locator('.theirs .text', { hasText: 'ich bin Bruno' }).waitFor();
  expect((await mouthsOf(page)).size).toBeGreaterThan(3);
  expect(faults).toEqual([]);
  await close();
});

it('a greeting that is still on its way is given up when the user says something', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=listening&avatar=puppet');
  await page.route('**/speech/greeting?**', () => undefined);
  const isGreeting = (request: { url(): string }) => request.url().includes('/speech/greeting');
  const abandoned = page.waitForEvent('requestfailed', isGreeting);
  await start(page);
  await write(page, 'count 3');
  expect((await abandoned).url()).toContain('/speech/greeting?avatar_id=puppet&language_code=en');
  await page.locator('.theirs.done', { hasText: '3' }).waitFor();
  await close();
});

it('typing silences the avatar, and so does Escape', async () => {
  const { page, close } = await open('default');
  for (const [first, silence] of [
    [true, () => page.locator('textarea').pressSequentially('Wait')],
    [false, () => page.keyboard.press('Escape')],
  ] as const) {
    if (first) await write(page, 'Tell me a joke');
    else await page.locator('.theirs.done .play').click();
    await page.locator('.stage.speaking').waitFor();
    await silence();
    await page.locator('.stage:not(.speaking)').waitFor();
  }
  expect(await page.locator('textarea').inputValue()).toBe('Wait');
  await close();
});

it('hands-free: speech is found, sent when it ends, answered, and silences the avatar', async () => {
  const { page, user_id, faults, close } = await open('listening');
  await page.locator('.microphone').click();
  await page.getByText('Listening. Just speak').waitFor();
  await page.locator('.microphone.hearing').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  await page.locator('.stage.speaking').waitFor();
  // The microphone hears somebody every six seconds, and the story is longer.
  await page.locator('.microphone.hearing').waitFor();
  await page.locator('.stage:not(.speaking)').waitFor();
  await page.locator('.microphone').click();
  const [message] = (await visitors.history(user_id, 'listening')).filter(({ direction }) => direction === 'outgoing');
  expect(message).toMatchObject({
    request: 'Tell me a story',
    chat_type: 'voice',
    fileUrl: expect.stringContaining('/files/'),
  });
  expect(faults).toEqual([]);
  await close();
});

it('without a transcriber, the user is asked for the words, which go along with the recording', async () => {
  const { page, user_id, close } = await open('default');
  await page.locator('.microphone').click();
  await page.locator('.words').waitFor();
  expect(await page.locator('.words').innerText()).toMatch(/this service may not recognise speech/);
  await page.locator('.words input').fill('Tell me a joke');
  await page.keyboard.press('Enter');
  // The answer sounds before it is stored.
  await page.locator('.stage.speaking').waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  const [, message] = await visitors.history(user_id, 'default');
  expect(message).toMatchObject({ request: 'Tell me a joke', fileUrl: expect.stringContaining('/files/') });
  await close();
});

it('asks for the words once; afterwards a note beside the microphone says that nothing was understood', async () => {
  const { page, close } = await open('default');
  await page.locator('.microphone').click();
  await page.locator('.words .quiet').click();
  await page.locator('.microphone').click();
  const refused = page.waitForResponse((response) => response.status() === 422);
  await refused;
  await until(async () => /textarea/.test(await focusedIn(page)), 'the focus where one writes');
  expect(await page.locator('.words').count()).toBe(0);
  expect(await page.locator('.voice-hint:not([hidden])').innerText()).toMatch(/No words were understood/);
  await close();
});

/** A browser that can recognise by itself after an installation, or whose recognition fails. */
const RECOGNISER = `
  globalThis.SpeechRecognition = class extends EventTarget {
    static state = 'downloadable';
    static available = async () => this.state;
    static install = async () => { this.state = 'available'; return navigator.onLine; };
    start() { globalThis.recogniser = this; }
    abort() {}
    stop() { this.dispatchEvent(Object.assign(new Event('error'), { error: 'language-not-supported' })); }
  };`;

it('browser recognition: on the device if it can be, and with the browser’s own error in words', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=listening&avatar=puppet', {
    script: RECOGNISER,
  });
  await start(page);
  const note = page.getByText('your browser may send audio to its vendor');
  await note.waitFor();
  await page.getByText('Use browser speech recognition').click();
  await note.waitFor({ state: 'hidden' });
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('.microphone').click();
  await until(() => page.evaluate('globalThis.recogniser?.processLocally === true'), 'recognition on the device');
  await page.locator('.microphone').click();
  await page.getByText('Your browser cannot recognise this language.').waitFor();
  expect(await page.evaluate('globalThis.recogniser.lang')).toBe('en');
  await close();
});

it('push to talk: a press begins, another sends', async () => {
  const { page, user_id, close } = await open('listening');
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('.microphone').click();
  await page.getByText('Recording. Press again to send').waitFor();
  // Longer than a silence that would end it hands-free.
  await page.waitForTimeout(2500);
  expect(await page.locator('.mine').count()).toBe(0);
  await page.locator('.microphone').click();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(await visitors.history(user_id, 'listening')).toHaveLength(2);
  await close();
});

it('hands-free: goes on listening when a noise is taken for speech', async () => {
  const { page, close } = await open('listening');
  await page.locator('.microphone').click();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  const body = {
    result: 'failure',
    status: 422,
    error: 'no_transcript',
    message: 'There are no words.',
    request_id: 'r',
  };
  await page.route('**/chat', (route) => route.fulfill({ status: 422, json: body }), { times: 1 });
  await page.getByText('No words were understood').waitFor();
  expect(await page.locator('.microphone.on').count()).toBe(1);
  expect(await page.getByText('What did you say?').count()).toBe(0);
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).nth(1).waitFor();
  await page.getByText('No words were understood').waitFor({ state: 'hidden' });
  await close();
});

it('without voice activity detection there is no choice of modes, and a press sends', async () => {
  const { page, close } = await open('pressing');
  expect(await page.getByText('Hands-free').count()).toBe(0);
  await page.locator('.microphone[aria-label="Record"]').click();
  await page.locator('.microphone[aria-label="Send the recording"]').waitFor();
  await close();
});

it('a video turn sends what the camera saw', async () => {
  const { page, user_id, close } = await open('listening', 'video');
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('.microphone').click();
  await page.locator('.preview').waitFor();
  await page.waitForTimeout(1500);
  await page.locator('.microphone').click();
  await page.locator('.theirs.done').nth(1).waitFor();
  const [, message] = await visitors.history(user_id, 'listening');
  const file = await fetch(message!.fileUrl!);
  expect([message!.chat_type, file.headers.get('content-type')]).toEqual(['video', 'video/webm']);
  await close();
});
