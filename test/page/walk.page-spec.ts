import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { aUser, type Service, startService } from '../support/index.js';
import { launch, until, visit } from './browser.js';

/** Where the pictures of the documentation are. They are made anew with `PICTURES=on`. */
const PICTURES = 'docs/pictures';

let browser: Browser;
let service: Service;
const directory = mkdtempSync(join(tmpdir(), 'walk-'));
beforeAll(async () => {
  [browser, service] = await Promise.all([launch(), startService({ DATA_DIR: directory, LOG_LEVEL: 'warn' })]);
});
afterAll(async () => {
  await browser.close();
  service.process.kill();
  await service.ended;
  rmSync(directory, { recursive: true });
});

async function picture(page: Page, name: string): Promise<void> {
  if (process.env.PICTURES !== 'on') return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.jpg`), type: 'jpeg', quality: 82 });
}

async function say(page: Page, text: string): Promise<void> {
  const answers = page.locator('.theirs.done');
  const before = await answers.count();
  await page.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
  await until(async () => (await answers.count()) > before, `an answer to ${text}`);
}

it('a new user talks ten times, by text and by voice', async () => {
  const { page, faults, close } = await visit(browser, service.url);
  await page.locator('.avatars canvas').nth(2).waitFor();
  await page.locator('.start-icon svg').first().waitFor();
  await until(async () => (await page.locator('.languages svg').count()) >= 8, 'the languages');
  await picture(page, 'start');

  await page.locator('.start-button').click();
  await page.getByText('This is where it began').waitFor();
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
  await page.getByText('This is where it began').waitFor();
  for (const text of ['Hello Mira', 'Tell me a joke', 'What should I cook tonight?']) await say(page, text);
  await page.locator('.stage.speaking').waitFor();
  await until(async () => (await page.locator('#mouth-open-wide:not([display])').count()) > 0, 'an open mouth');
  await picture(page, 'voice');

  for (const words of ['Tell me a joke', 'Goodbye']) {
    const answers = page.locator('.theirs.done');
    const before = await answers.count();
    await page.keyboard.press('Escape');
    if (await page.locator('.microphone:not(.on)').count()) await page.locator('.microphone').click();
    await page.locator('.words input').fill(words);
    await picture(page, 'words');
    await page.keyboard.press('Enter');
    await until(async () => (await answers.count()) > before, `an answer to ${words}`);
  }
  expect(await page.locator('.mine.done').count()).toBe(10);
  expect(faults).toEqual([]);
  await close();
});

it('on a phone, in the dark, from right to left', async () => {
  const { page, close } = await visit(
    browser,
    `${service.url}/?user=${aUser()}&language=ar&chat-type=voice&avatar=bruno`,
    {
      viewport: { width: 390, height: 780 },
      colorScheme: 'dark',
      deviceScaleFactor: 1.5,
    },
  );
  await page.locator('.start-button').click();
  await say(page, 'مرحبا');
  await page.locator('.stage.speaking.has-portrait').waitFor();
  await picture(page, 'phone');
  expect(await page.locator('.panel').getAttribute('dir')).toBe('rtl');
  await close();
});
