import type { Page } from 'playwright-core';
import { hold, isMediaEnded, until, WATCH_MEDIA } from './browser.js';
import { start, Visitors } from './visitors.js';

const visitors = new Visitors();

const focusedIn = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector('avatar-chat').shadowRoot.activeElement?.outerHTML ?? ''`);

const open = async (project_id: string) => {
  const opened = await visitors.open(`&chat-type=voice&project-id=${project_id}&avatar=bruno`);
  await start(opened.page);
  return opened;
};

it('hands-free: speech is detected, sent when it ends, answered, and silences the avatar', async () => {
  const { page, user_id, faults, close } = await open('listening');
  await page.locator('.microphone').click();
  await page.getByText('Listening. Just speak').waitFor();
  await page.locator('.microphone.hearing').waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).first().waitFor();
  await page.locator('.stage.speaking').waitFor();
  // The microphone hears somebody every five seconds, and the story is longer.
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

it('without a transcriber, the user is asked for the text, which is sent with the recording', async () => {
  const { page, user_id, close } = await open('wordless');
  await page.locator('.microphone').click();
  await page.locator('.words').waitFor();
  expect(await page.locator('.words').innerText()).toMatch(/this service may not recognise speech in this language/);
  await page.locator('.words input').fill('Tell me a joke');
  await page.keyboard.press('Enter');
  // The answer can be heard before it is stored.
  await page.locator('.stage.speaking').waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  const [, message] = await visitors.history(user_id, 'wordless');
  expect(message).toMatchObject({ request: 'Tell me a joke', fileUrl: expect.stringContaining('/files/') });
  await close();
});

it('asks for the text once; afterwards a note beside the microphone says that nothing was understood', async () => {
  const { page, close } = await open('wordless');
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

/** A browser with on-device recognition after an installation, or whose recognition fails. */
const RECOGNISER = `
  globalThis.SpeechRecognition = class extends EventTarget {
    static state = 'downloadable';
    static available = async () => this.state;
    static install = async () => { this.state = 'available'; return navigator.onLine; };
    start() { globalThis.recogniser = this; }
    abort() {}
    stop() { this.dispatchEvent(Object.assign(new Event('error'), { error: 'language-not-supported' })); }
  };`;

/** A browser in which the button is pressed once more before recognition finds the words. */
const IMPATIENT_USER = `
  globalThis.SpeechRecognition = class extends EventTarget {
    start() {}
    abort() {}
    stop() {
      setTimeout(() => {
        const { shadowRoot } = document.querySelector('avatar-chat');
        globalThis.status = shadowRoot.querySelector('.voice-status').textContent;
        shadowRoot.querySelector('.microphone').click();
      });
      setTimeout(() => {
        const results = [Object.assign([{ transcript: 'Hello' }], { isFinal: true })];
        this.dispatchEvent(Object.assign(new Event('result'), { results }));
        this.dispatchEvent(new Event('end'));
      }, 200);
    }
  };`;

it("browser recognition: on the device if possible, and with the browser's own error in words", async () => {
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

it('push to talk: one press starts, another sends', async () => {
  const { page, user_id, close } = await open('listening');
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('.microphone').click();
  await page.getByText('Recording. Press again to send').waitFor();
  expect(await page.locator('.microphone').getAttribute('aria-pressed')).toBeNull();
  // Longer than a silence that would end it hands-free.
  await page.waitForTimeout(3500);
  expect(await page.locator('.mine').count()).toBe(0);
  await page.locator('.microphone').click();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(await visitors.history(user_id, 'listening')).toHaveLength(2);
  await close();
});

it('push to talk: another press while the recording is completed changes nothing', async () => {
  const query = '&chat-type=voice&project-id=listening&avatar=puppet';
  const { page, user_id, close } = await visitors.open(query, { script: IMPATIENT_USER });
  await start(page);
  await page.getByText('Use browser speech recognition').click();
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('.microphone').click();
  await page.getByText('Recording. Press again to send').waitFor();
  // A recording comes in chunks of a second.
  await page.waitForTimeout(1200);
  await page.locator('.microphone').click();
  await page.locator('.mine.done', { hasText: 'Hello' }).waitFor();
  await page.locator('.microphone[aria-label="Record"]').waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(await visitors.history(user_id, 'listening')).toHaveLength(2);
  expect(await page.evaluate('status')).toBe('Sending…');
  await close();
});

it('push to talk stays selected when a live conversation falls back to recordings', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=wordless&avatar=ada&language=en');
  await page.locator('.voice.live label', { hasText: 'Push to talk' }).click();
  await page.getByRole('button', { name: 'Record' }).click();
  await page.locator('.voice:not(.live)').getByText('Recording. Press again to send').waitFor();
  expect(await page.getByRole('radio', { name: 'Push to talk' }).isChecked()).toBe(true);
  await close();
});

it('a microphone that is disconnected is reported, and what was said until then is sent', async () => {
  const query = '&chat-type=voice&project-id=listening&avatar=bruno&language=en';
  const { page, close } = await visitors.open(query, { script: WATCH_MEDIA });
  await page.locator('label', { hasText: 'Push to talk' }).click();
  await page.locator('textarea').fill('A draft');
  await page.locator('.microphone').click();
  await page.locator('.microphone.on').waitFor();
  await until(() => page.evaluate<boolean>('tracks.length > 0'), 'an open microphone');
  // A recording comes in chunks of a second.
  await page.waitForTimeout(1200);
  await page.evaluate('tracks.forEach((track) => track.stop())');
  await page.getByRole('alert').filter({ hasText: 'The microphone was taken away' }).waitFor();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).waitFor();
  expect(await page.locator('textarea').inputValue()).toBe('A draft');
  await close();
});

it('an error of the recorder stops the microphone, and the page says so', async () => {
  const broken = `${WATCH_MEDIA}
    globalThis.MediaRecorder = class { static isTypeSupported() { return true } constructor() { throw new Error() } };`;
  const { page, close } = await visitors.open('&chat-type=voice&project-id=listening&avatar=bruno&language=en', {
    script: broken,
  });
  await page.locator('.microphone').click();
  await page.getByRole('alert').filter({ hasText: 'microphone' }).waitFor();
  await until(() => isMediaEnded(page), 'the end of the microphone');
  expect(await page.locator('.microphone.on').count()).toBe(0);
  await close();
});

it('hands-free: going on while a recording is still being understood keeps both', async () => {
  const { page, user_id, close } = await open('recording');
  const understand = await hold(page, '**/chat');
  await page.locator('.microphone').click();
  await page.locator('.mine').nth(1).waitFor();
  expect(await page.locator('.mine.waiting').count()).toBe(2);
  await page.locator('.microphone').click();
  understand();
  await page.locator('.mine.done', { hasText: 'Tell me a story' }).nth(1).waitFor();
  await page.locator('.theirs.done').nth(1).waitFor();
  expect(await page.locator('.mine').count()).toBe(2);
  const stored = await visitors.history(user_id, 'recording');
  expect(stored.filter(({ direction }) => direction === 'outgoing')).toHaveLength(2);
  await close();
});

it('hands-free: continues listening when a noise is taken for speech', async () => {
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
