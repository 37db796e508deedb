import type { Browser, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, visit } from './browser.js';
import { type PageService, startPageService } from './service.js';

/** A message of `GET /chat`, with the fields that these tests use. */
interface Message {
  direction: string;
  request: string;
  answer?: string;
  fileUrl?: string;
  chat_type: string;
}

/** A browser and a service for the tests of one file, and the users who visit the page. */
export class Visitors {
  browser!: Browser;
  service!: PageService;

  constructor(options: Parameters<typeof launch>[0] = {}, config: Parameters<typeof startPageService>[0] = {}) {
    beforeAll(async () => {
      [this.browser, this.service] = await Promise.all([launch(options), startPageService(config)]);
    });
    // Left open by a failed test, which would keep playing.
    afterEach(() => Promise.all((this.browser?.contexts() ?? []).map((context) => context.close())));
    afterAll(async () => {
      await this.browser.close();
      await this.service.close();
    });
  }

  /** The page for a new user. */
  async open(query = '', options: Parameters<typeof visit>[2] = {}) {
    const user_id = aUser();
    return { user_id, ...(await visit(this.browser, this.service.page(user_id, query), options)) };
  }

  /** A user's stored messages, newest first. */
  async history(user_id: string, project_id = 'default'): Promise<Message[]> {
    const token = await this.service.test.token(user_id, project_id);
    return (await this.service.test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload;
  }
}

export const start = (page: Page): Promise<void> => page.locator('.start-button').click();

export async function write(page: Page, text: string): Promise<void> {
  await page.locator('textarea').fill(text);
  await page.keyboard.press('Enter');
}

/** The mouth shapes that an avatar shows from now on until a condition is met. */
export async function mouthsUntil(page: Page, over: Promise<unknown>): Promise<string[]> {
  await page.evaluate<void>(`{
    const seen = globalThis.mouths = new Set();
    const { shadowRoot } = document.querySelector('avatar-chat');
    const look = () => {
      for (const { id } of shadowRoot.querySelectorAll('.portrait [id^="mouth-"]:not([display])')) seen.add(id);
      requestAnimationFrame(look);
    };
    look();
  }`);
  await over;
  return page.evaluate<string[]>('[...mouths]');
}

/** Sends a text, and waits for the answer. @returns the answer */
export async function say(page: Page, text: string): Promise<string> {
  await write(page, text);
  // Not the greeting, which may arrive after the text.
  return page.locator('.mine + .theirs.done:last-child .text').innerText();
}
