import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, until, visit } from './browser.js';
import { say } from './visitors.js';
import { give, type Given, picture, run } from './walk.commands.js';

/**
 * From the first command to ten turns, as a new user would go, in a clone of the last commit. `npm run docs:pictures`
 * stores the screenshots in docs/pictures.
 */
const NAME = 'avatar-chat-service';
const MINUTES = 60_000;

const directory = mkdtempSync(join(tmpdir(), 'walk-'));
const clone = join(directory, NAME);
let browser: Browser;
let service: Given;
let port: string;
let url: string;

const start = async () => {
  // With the model, which is downloaded in the background if a registry can be reached, the page does not ask for text.
  service = give('npm start', clone, { PORT: port, SPEECH_MODELS: 'off' });
  await service.printed(/listening on http/);
};

beforeAll(async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  port = String((probe.address() as AddressInfo).port);
  probe.close();
  url = `http://127.0.0.1:${port}`;
  browser = await launch();
});
afterAll(async () => {
  await service?.stop();
  await browser.close();
  rmSync(directory, { recursive: true });
});

/** Speaks into the microphone, and types the text when the page asks for it. */
async function speak(page: Page, words: string, asked = async () => {}): Promise<void> {
  const answers = page.locator('.theirs.done');
  const before = await answers.count();
  await page.keyboard.press('Escape');
  if (await page.locator('.microphone:not(.on)').count()) await page.locator('.microphone').click();
  await page.locator('.words input').fill(words);
  await asked();
  await page.keyboard.press('Enter');
  await until(async () => (await answers.count()) > before, `an answer to ${words}`);
}

it(
  'a new user goes from the first command to ten turns, by text and by voice, and finds them again',
  async () => {
    await run(`git clone ${process.cwd()} ${NAME}`, directory);
    await run('npm ci', clone);
    await start();

    const { page, faults, close } = await visit(browser, url);
    await page.locator('.avatars canvas').nth(2).waitFor();
    await page.locator('.start-icon svg').first().waitFor();
    await until(async () => (await page.locator('.languages svg').count()) >= 8, 'the languages');
    await picture(page, 'start');

    await page.locator('.start-button').click();
    await page.getByText('Start of conversation').waitFor();
    await page.locator('.stage.has-video').waitFor();

    for (const text of [
      'Hello, who are you?',
      'What can you do?',
      'Tell me a fun fact',
      'Why is the sky blue?',
      'Thank you!',
    ])
      await say(page, text);
    await page.locator('#log-button').click();
    await picture(page, 'text');
    await page.locator('#log-button').click();

    await page.locator('.back').click();
    await page.locator('label', { hasText: 'Mira' }).click();
    await page.locator('label[data-value=voice]').click();
    await page.locator('.start-button').click();
    await page.getByText('Start of conversation').waitFor();
    for (const text of ['Hello Mira', 'Tell me a joke', 'What should I cook tonight?']) await say(page, text);
    await page.locator('.stage.speaking').waitFor();
    await until(async () => (await page.locator('#mouth-open-wide:not([display])').count()) > 0, 'an open mouth');
    await picture(page, 'voice');

    await speak(page, 'Tell me a joke', () => picture(page, 'words'));
    await page
      .locator('.microphone.on')
      .click({ timeout: 2000 })
      .catch(() => undefined);
    await say(page, 'Goodbye');
    expect(await page.locator('.mine.done').count()).toBe(10);

    const user = await page.locator('#user').textContent();
    await service.stop();
    await start();
    await page.reload();
    await page.locator('.past', { hasText: 'Goodbye' }).last().waitFor();
    await until(async () => {
      await page.locator('.messages').evaluate((list) => (list.scrollTop = 0));
      return (await page.locator('.past').count()) === 20;
    }, 'ten turns of the past');
    expect(faults).toEqual([]);
    await close();

    const ask = `npm run --silent cli -- messages export --project default --user ${user} | wc -l`;
    expect(await run(ask, clone)).toMatch(/^20$/m);
  },
  8 * MINUTES,
);

it('on a phone, in dark mode, from right to left', async () => {
  const { page, close } = await visit(browser, `${url}/?user=${aUser()}&language=ar&chat-type=voice&avatar=bruno`, {
    viewport: { width: 390, height: 780 },
    colorScheme: 'dark',
    deviceScaleFactor: 1.5,
  });
  await say(page, 'مرحبا');
  await page.locator('.stage.speaking.has-portrait').waitFor();
  await picture(page, 'phone');
  expect(await page.locator('.panel').getAttribute('dir')).toBe('rtl');
  await close();
});
