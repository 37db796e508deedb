import type { Browser, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { launch, until, visit } from './browser.js';
import { type PageService, startPageService } from './service.js';

/** A message as `GET /chat` has it, as far as these tests look. */
interface Message {
  direction: string;
  request: string;
  answer?: string;
  fileUrl?: string;
  chat_type: string;
}

/** A browser and a service for the tests of one file, and the users who come to the page. */
export class Visitors {
  browser!: Browser;
  service!: PageService;

  constructor(options: Parameters<typeof launch>[0] = {}) {
    beforeAll(async () => {
      [this.browser, this.service] = await Promise.all([launch(options), startPageService()]);
    });
    afterAll(async () => {
      await this.browser.close();
      await this.service.close();
    });
  }

  /** The page as a user of its own sees it. */
  async open(query = '', options: Parameters<typeof visit>[2] = {}) {
    const user_id = aUser();
    return { user_id, ...(await visit(this.browser, this.service.page(user_id, query), options)) };
  }

  /** What is stored of a user, newest first. */
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

/** Writes, and waits for the answer. @returns it */
export async function say(page: Page, text: string): Promise<string> {
  const answers = page.locator('.theirs.done');
  const before = await answers.count();
  await write(page, text);
  await until(async () => (await answers.count()) > before, `an answer to ${text}`);
  return answers.last().locator('.text').innerText();
}
