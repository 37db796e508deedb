import type { Page } from 'playwright-core';
import { chromiumIt, styleOf, until } from './browser.js';
import { mouthsUntil, start, Visitors, write } from './visitors.js';

const visitors = new Visitors();

const open = async () => {
  const opened = await visitors.open('&chat-type=voice&avatar=bruno');
  await start(opened.page);
  return opened;
};
/** The mouth shapes that are shown while the avatar speaks, until a condition is met. */
const mouthsOf = async (page: Page, over: () => Promise<unknown>) => {
  await page.locator('.stage.speaking.has-portrait').waitFor();
  return mouthsUntil(page, over());
};
const fiveMouths = (page: Page) => () =>
  until(() => page.evaluate<boolean>('globalThis.mouths?.size > 4'), 'five shapes of the mouth');
/** As many frames as a second of smooth animation. */
const SIXTY_FRAMES = `new Promise((resolve) => {
  let n = 0;
  const next = () => (++n > 60 ? resolve() : requestAnimationFrame(next));
  next();
})`;

it('an answer is spoken with a moving mouth, and replaces the idle video', async () => {
  const { page, close } = await open();
  const opacity = (value: string) =>
    until(
      async () => (await styleOf(page.locator('.stage video'), 'opacity')) === value,
      `a video with opacity ${value}`,
    );
  await page.locator('.stage.has-video.has-portrait').waitFor();
  await opacity('1');
  // Only one of the two moves at a time.
  const head = () => page.locator('.portrait #head').getAttribute('transform');
  const isPaused = () =>
    page.locator('.stage video').evaluate((video) => (video as unknown as { paused: boolean }).paused);
  const still = await head();
  await page.evaluate(SIXTY_FRAMES);
  expect([await head(), await isPaused()]).toEqual([still, false]);
  await write(page, 'Tell me a joke');
  await page.locator('.stage.speaking').waitFor();
  await opacity('0');
  expect(await isPaused()).toBe(true);
  expect((await mouthsOf(page, fiveMouths(page))).length).toBeGreaterThan(4);
  // An answer that is stopped before it is complete cannot be played again.
  await page.locator('.theirs.done .play').waitFor();
  await page.keyboard.press('Escape');
  await opacity('1');
  await page.locator('.theirs.done .play').click();
  await page.locator('.stage.speaking').waitFor();
  // A browser that saves power may refuse to go on with the video: the portrait moves in its place.
  await page.evaluate(
    `HTMLVideoElement.prototype.play = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
  );
  await page.keyboard.press('Escape');
  await page.locator('.stage.has-portrait:not(.has-video)').waitFor();
  const posed = await head();
  await until(async () => (await head()) !== posed, 'a head that moves');
  await close();
});

it('the greeting is shown and spoken in the chosen language, with a moving mouth', async () => {
  const { page, faults, close } = await visitors.open('&chat-type=voice&language=fr');
  await page.locator('.avatars', { hasText: 'je suis Ada' }).waitFor();
  await page.locator('label[data-value=de]').click();
  await page.locator('.avatars', { hasText: 'ich bin Ada' }).waitFor();
  await page.locator('label[data-value=bruno]').click();
  await start(page);
  await page.locator('.theirs .text', { hasText: 'ich bin Bruno' }).waitFor();
  expect((await mouthsOf(page, fiveMouths(page))).length).toBeGreaterThan(4);
  expect(faults).toEqual([]);
  await close();
});

async function followLateLoudspeaker(): Promise<void> {
  const { page, close } = await visitors.open('&chat-type=voice&avatar=ada', {
    script: `Object.defineProperty(AudioContext.prototype, 'outputLatency', { get: () => 60 });`,
  });
  await start(page);
  expect(await mouthsOf(page, () => page.evaluate(SIXTY_FRAMES))).toEqual(['mouth-rest']);
  expect(await page.locator('.stage.speaking').count()).toBe(1);
  await close();
}

chromiumIt('its latency is not asked for')(
  'the mouth is in sync with what is heard, which is delayed on some loudspeakers',
  followLateLoudspeaker,
);

it('a greeting that is still loading is cancelled when the user says something', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=listening&avatar=puppet');
  visitors.service.proxy.injectFaults(/speech\/greeting/, 'silence');
  const isGreeting = (request: { url(): string }) => request.url().includes('/speech/greeting');
  const asked = page.waitForRequest(isGreeting);
  const abandoned = page.waitForEvent('requestfailed', isGreeting);
  await start(page);
  await asked;
  await write(page, 'count 3');
  expect((await abandoned).url()).toContain('/speech/greeting?avatar_id=puppet&language_code=en');
  await page.locator('.theirs.done .text', { hasText: '3' }).waitFor();
  await close();
});

it('if the browser allows no sound before a click, the avatar does not seem to speak', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&avatar=ada&language=en', {
    script: `globalThis.asked = 0;
      AudioContext.prototype.resume = () => (asked++, new Promise(() => undefined));
      Object.defineProperty(AudioContext.prototype, 'state', { get: () => 'suspended' });`,
  });
  await page.evaluate(`new MutationObserver(() => {
    globalThis.spoke ||= document.querySelector('avatar-chat').shadowRoot.querySelector('.stage.speaking') !== null;
  }).observe(document.querySelector('avatar-chat').shadowRoot, { subtree: true, attributes: true })`);
  await write(page, 'Tell me a joke');
  await page.locator('.mine + .theirs.done .play').waitFor();
  await page.evaluate(SIXTY_FRAMES);
  expect(await page.evaluate('globalThis.spoke')).toBe(false);
  expect(await page.evaluate<number>('asked')).toBeLessThan(10);
  await close();
});

it('captions show each sentence while it is spoken, if enabled, at the next visit too', async () => {
  const { page, close } = await visitors.open('&chat-type=video&project-id=listening&avatar=ada&language=en');
  const button = page.getByRole('button', { name: 'Captions' });
  const captions = page.locator('.captions');
  await write(page, 'Tell me a story');
  await page.locator('.mine + .theirs .text', { hasText: /\w/ }).waitFor();
  await page.locator('.stage.speaking').waitFor();
  expect(await captions.isVisible()).toBe(false);
  await button.click();
  const words = await captions.innerText();
  await page.locator('.mine + .theirs', { hasText: words.trim() }).waitFor();
  await page.keyboard.press('Escape');
  await captions.waitFor({ state: 'hidden' });
  await page.reload();
  expect(await button.getAttribute('aria-pressed')).toBe('true');
  await close();
});

it('says so if a recording cannot be played, but not if it was only stopped', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=listening&avatar=ada&language=en');
  await write(page, 'Tell me a joke');
  const play = page.locator('.mine + .theirs.done .play');
  await play.waitFor();
  await page.locator('.stage:not(.speaking)').waitFor();
  const alert = page.locator('.alert');
  const loading = page.waitForRequest('**/files/**');
  await page.route('**/files/**', () => undefined);
  await play.click();
  await loading;
  await page.keyboard.press('Escape');
  expect(await alert.isVisible()).toBe(false);
  // As once the signature has expired.
  await page.route('**/files/**', (route) => route.fulfill({ status: 403, json: {} }));
  await play.click();
  await alert.filter({ hasText: 'This recording cannot be played.' }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await play.click();
  await page.locator('.stage.speaking').waitFor();
  expect(await alert.isVisible()).toBe(false);
  await close();
});

it('captions show a whole greeting', async () => {
  const { page, close } = await visitors.open('&chat-type=voice&project-id=listening&avatar=ada', {
    script: `location.host && localStorage.setItem('avatar-chat-captions', 'true')`,
  });
  await start(page);
  const greeting = await page.locator('.theirs .text').first().innerText();
  expect(greeting.match(/[.?]/g)!.length).toBeGreaterThan(2);
  await page.locator('.captions:visible').waitFor();
  expect(await page.locator('.captions').innerText()).toBe(greeting);
  await close();
});

it('typing silences the avatar, and so does Escape', async () => {
  const { page, close } = await open();
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
