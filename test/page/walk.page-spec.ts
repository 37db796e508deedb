import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, until, visit } from './browser.js';
import { say } from './visitors.js';
import { type Given, WalkRecord } from './walk.record.js';

/**
 * From the first command to ten turns, as somebody new would go, in a clone of the last commit. `npm run docs:walk` writes
 * down what is printed and seen, in docs/walk.md.
 */
const NAME = 'avatar-chat-service';
const MINUTES = 60_000;

const directory = mkdtempSync(join(tmpdir(), 'walk-'));
const clone = join(directory, NAME);
let browser: Browser;
let service: Given;
let port: string;
let url: string;
let record: WalkRecord;
let complete = false;

const start = async () => {
  service = record.give('npm start', clone, { PORT: port });
  await service.printed(/listening on http/);
};

beforeAll(async () => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  port = String((probe.address() as AddressInfo).port);
  probe.close();
  url = `http://127.0.0.1:${port}`;
  record = new WalkRecord([
    [process.cwd(), 'REPOSITORY'],
    [port, '3000'],
  ]);
  browser = await launch();
});
afterAll(async () => {
  await service?.stop();
  await browser.close();
  rmSync(directory, { recursive: true });
});

/** Speaks into the microphone, and writes what was said when the page asks for it. */
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
    record.words(`# Walkthrough

From the first command to ten turns, by text and by voice. \`npm run docs:walk\` runs these steps in a clone of the last commit and in Chromium,
and writes this page. Only the URL of the repository and the port are replaced.

## Start

\`…\` stands for npm's warnings, which need no action, and for further lines of the log.`);
    await record.run(`git clone ${process.cwd()} ${NAME}`, directory);
    record.enter(NAME);
    await record.run('npm ci', clone);
    await start();

    record.words('## Choose an avatar\n\nAt <http://127.0.0.1:3000/>:');
    const { page, faults, close } = await visit(browser, url);
    await page.locator('.avatars canvas').nth(2).waitFor();
    await page.locator('.start-icon svg').first().waitFor();
    await until(async () => (await page.locator('.languages svg').count()) >= 8, 'the languages');
    await record.picture(page, 'start', 'Three avatars, eight languages, three modes');

    await page.locator('.start-button').click();
    await page.getByText('Start of conversation').waitFor();
    await page.locator('.stage.has-video').waitFor();
    record.words('The avatar greets:');
    await record.picture(page, 'greeting', 'Ada greets');

    record.words('## Write\n\nFive turns. _Requests_ shows the requests of the page:');
    for (const text of [
      'Hello, who are you?',
      'What can you do?',
      'Tell me a fun fact',
      'Why is the sky blue?',
      'Thank you!',
    ])
      await say(page, text);
    await page.locator('#log-button').click();
    await record.picture(page, 'text', 'Five text turns and their requests');
    await page.locator('#log-button').click();

    record.words('## Listen\n\nThree written turns with another avatar in the mode _Voice_. Its answers are spoken:');
    await page.locator('.back').click();
    await page.locator('label', { hasText: 'Mira' }).click();
    await page.locator('label[data-value=voice]').click();
    await page.locator('.start-button').click();
    await page.getByText('Start of conversation').waitFor();
    for (const text of ['Hello Mira', 'Tell me a joke', 'What should I cook tonight?']) await say(page, text);
    await page.locator('.stage.speaking').waitFor();
    await until(async () => (await page.locator('#mouth-open-wide:not([display])').count()) > 0, 'an open mouth');
    await record.picture(page, 'voice', 'Mira, speaking');

    record.words(`## Speak

A turn by microphone. It plays a synthetic voice without words here, so the page asks for them and sends them with the recording. The last turn
is written:`);
    await speak(page, 'Tell me a joke', () => record.picture(page, 'words', 'What did you say?'));
    await page
      .locator('.microphone.on')
      .click({ timeout: 2000 })
      .catch(() => undefined);
    await say(page, 'Goodbye');
    expect(await page.locator('.mine.done').count()).toBe(10);

    record.words('## Restart\n\nControl-C, and again:');
    const user = await page.locator('#user').textContent();
    await service.stop();
    await start();
    await page.reload();
    record.words('After a reload the page loads the history of the same user, and older turns on scrolling:');
    await page.locator('.start-button').click();
    await page.locator('.past', { hasText: 'Goodbye' }).last().waitFor();
    await record.picture(page, 'history', 'The history after a restart of the service');
    await until(async () => {
      await page.locator('.messages').evaluate((list) => (list.scrollTop = 0));
      return (await page.locator('.past').count()) === 20;
    }, 'ten turns of the past');
    expect(faults).toEqual([]);
    await close();

    const ask = `npm run --silent cli -- messages export --project default --user ${user} | wc -l`;
    expect(await new WalkRecord([]).run(ask, clone)).toMatch(/^20$/m);
    complete = true;
  },
  8 * MINUTES,
);

it('on a phone, in the dark, from right to left', async () => {
  const { page, close } = await visit(browser, `${url}/?user=${aUser()}&language=ar&chat-type=voice&avatar=bruno`, {
    viewport: { width: 390, height: 780 },
    colorScheme: 'dark',
    deviceScaleFactor: 1.5,
  });
  await page.locator('.start-button').click();
  await say(page, 'مرحبا');
  await page.locator('.stage.speaking.has-portrait').waitFor();
  record.words('## On a phone\n\nIn Arabic, with a dark color scheme:');
  await record.picture(page, 'phone', 'The page on a phone, in Arabic and dark');
  if (complete) record.save();
  expect(await page.locator('.panel').getAttribute('dir')).toBe('rtl');
  await close();
});
