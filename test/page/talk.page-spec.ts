import { ChatService } from '../../src/index.js';
import { anOwner, aTurn, aUser } from '../support/index.js';
import { hold, until, visit } from './browser.js';
import { startPageService } from './service.js';
import { say, start, Visitors } from './visitors.js';

const DAY = 86_400_000;
const FOCUSED = `document.querySelector('avatar-chat').shadowRoot.activeElement?.outerHTML ?? ''`;

const visitors = new Visitors();

describe('the page', () => {
  it('loads nothing from other hosts, and complies with its policy', async () => {
    const { page, requests, faults, close } = await visitors.open();
    await start(page);
    await say(page, 'Hello');
    await page.locator('.stage.has-video').waitFor();
    expect(requests.filter((url) => !url.startsWith(visitors.service.proxy.url) && !url.startsWith('blob:'))).toEqual(
      [],
    );
    expect(faults).toEqual([]);
    await close();
  });

  it('fits small and large screens, with everything important visible', async () => {
    const { page, close } = await visitors.open('&project-id=wordless&chat-type=voice&avatar=bruno');
    const fits = async (selector: string) => {
      await page.locator(selector).waitFor();
      for (const [width, height] of [
        [320, 480],
        [360, 640],
        [740, 400],
        [1280, 720],
      ] as const) {
        await page.setViewportSize({ width, height });
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        const box = (await page.locator(selector).boundingBox())!;
        expect(box.y + box.height).toBeLessThan(height);
      }
    };
    await fits('.start-button');
    await start(page);
    await fits('textarea');
    await page.locator('.microphone').click();
    await fits('.words input');
    await close();
  });

  it('restores the last choices after a reload, unless the page overrides them', async () => {
    const { page, close } = await visitors.open();
    const choose = (value: string) => page.locator(`label[data-value=${value}]`).click();
    const chosen = async () => {
      await page.locator('.start-button').waitFor();
      return page.locator('input:checked').evaluateAll((inputs) => inputs.map((input) => input.getAttribute('value')));
    };
    const first = await chosen();
    await choose('de');
    const avatar = await page.locator('.avatars input').last().getAttribute('value');
    await choose(avatar!);
    await choose('video');
    await start(page);
    await page.locator('textarea').waitFor();
    await page.reload();
    // Earlier choices are not asked for again.
    await page.locator('.back').click();
    expect(await chosen()).toEqual([avatar, 'de', 'video']);
    expect(first).not.toContain(avatar);
    const french = new URL(page.url());
    french.searchParams.set('language', 'fr');
    await page.goto(french.href);
    await page.locator('.back').click();
    expect(await chosen()).toEqual([avatar, 'fr', 'video']);
    await close();
  });

  it('can be used with only the keyboard', async () => {
    const { page, close } = await visitors.open();
    await page.locator('.start-button').waitFor();
    const focused = (): Promise<string> => page.evaluate(FOCUSED);
    const tabTo = (pattern: RegExp) =>
      until(async () => {
        await page.keyboard.press('Tab');
        return pattern.test(await focused());
      }, `the focus at ${pattern}`);
    await tabTo(/value="ada"/);
    await page.keyboard.press('ArrowRight');
    await tabTo(/value="en"/);
    await tabTo(/value="text"/);
    await tabTo(/start-button/);
    await page.keyboard.press('Enter');
    await until(async () => /textarea/.test(await focused()), 'the focus where one writes');
    await page.keyboard.type('Hello');
    await page.keyboard.press('Enter');
    await page.locator('.theirs.done').nth(1).waitFor();
    expect(await page.locator('.label h2').innerText()).toBe('Bruno');
    expect(await page.locator('.talk > [role=status]').innerText()).toMatch(/^Bruno: /);
    await close();
  });
});

describe('a conversation', () => {
  it('starts with the greeting, and shows the answer while it arrives', async () => {
    const { page, close } = await visitors.open('&project-id=listening&avatar=puppet');
    await start(page);
    expect(await page.locator('.theirs .text').innerText()).toBe('At your service.');
    await page.locator('textarea').fill('count 40');
    await page.keyboard.press('Enter');
    await page.locator('.theirs.speaking .text', { hasText: '3' }).waitFor();
    expect(await page.locator('.theirs.speaking .text').innerText()).not.toMatch(/40/);
    await page.locator('.theirs.done .text', { hasText: '40' }).waitFor();
    await close();
  });

  it('is interrupted by Stop and by the next message, and keeps what was said', async () => {
    const { page, close } = await visitors.open('&project-id=listening&avatar=puppet');
    await start(page);
    for (const interrupt of [() => page.locator('.composer .stop').click(), () => say(page, 'enough')]) {
      await page.locator('textarea').fill('count 900');
      await page.keyboard.press('Enter');
      await page.locator('.theirs.speaking .text', { hasText: '3' }).waitFor();
      await interrupt();
      await page.locator('.theirs.interrupted').last().waitFor();
    }
    expect(await page.locator('.theirs.interrupted').count()).toBe(2);
    await page.locator('textarea').fill('count 900');
    await page.keyboard.press('Enter');
    await page.locator('.theirs.speaking .text', { hasText: '3' }).waitFor();
    await page.locator('.renew').click();
    await page.locator('.mine').first().waitFor({ state: 'detached' });
    // Speech in progress is left behind with the rest.
    await page.reload();
    await page.locator('.theirs').first().waitFor();
    expect(await page.locator('.theirs.interrupted').count()).toBe(0);
    await close();
  });

  it('loads its history backwards while scrolling, each message once', async () => {
    const user_id = aUser();
    const owner = anOwner({ user_id });
    const chat = visitors.service.test.app.get(ChatService);
    for (let n = 1; n <= 35; n++) await chat.record(aTurn({ owner, request: `Question ${n}`, answer: `Answer ${n}` }));
    const { page, requests, close } = await visit(visitors.browser, visitors.service.page(user_id));
    await start(page);
    await page.locator('.past', { hasText: 'Answer 35' }).waitFor();
    expect(
      await page
        .locator('.past', { hasText: 'Answer 1' })
        .filter({ hasNotText: /Answer 1\d/ })
        .count(),
    ).toBe(0);
    await until(async () => {
      await page.locator('.messages').evaluate((list) => (list.scrollTop = 0));
      return (await page.locator('.past').count()) === 70;
    }, 'all messages');
    const texts = await page.locator('.past .text').allInnerTexts();
    expect(texts).toEqual(Array.from({ length: 35 }, (_, n) => [`Question ${n + 1}`, `Answer ${n + 1}`]).flat());
    const pages = requests.filter((url) => url.includes('per_page='));
    expect(pages.filter((url) => url.includes('before='))).toHaveLength(pages.length - 1);
    await page.getByText('Start of conversation').waitFor();
    await close();
  });

  it('reads its history again from the newest message, also while an older page is loading', async () => {
    const user_id = aUser();
    const owner = anOwner({ user_id });
    const chat = visitors.service.test.app.get(ChatService);
    for (let n = 1; n <= 15; n++) await chat.record(aTurn({ owner, request: `Question ${n}`, answer: `Answer ${n}` }));
    const { page, close } = await visit(visitors.browser, visitors.service.page(user_id));
    const events = { contentType: 'text/event-stream', body: 'event: reset\ndata: {}\n\n' };
    const reset = await hold(page, '**/chat/events*', events);
    const older = await hold(page, '**/chat?*before=*');
    await start(page);
    const newest = page.locator('.past', { hasText: 'Answer 15' });
    await newest.waitFor();
    const scrolled = page.waitForRequest(/before=/);
    await page.locator('.messages').evaluate((list) => (list.scrollTop = 0));
    await scrolled;
    reset();
    // The stream is followed anew, which is another reason to read it again.
    for (let n = 0; n < 2; n++) await page.waitForResponse(/chat\/events/);
    older();
    await newest.waitFor();
    await until(async () => {
      await page.locator('.messages').evaluate((list) => (list.scrollTop = 0));
      return (await page.locator('.past').count()) === 30;
    }, 'all messages');
    await close();
  });

  it('continues after the token and the session have expired; the log shows how', async () => {
    const { page, close } = await visitors.open();
    // The event stream would renew the token at once.
    await page.route('**/chat/events', (route) => route.abort());
    await page.locator('#log-button').click();
    await start(page);
    await say(page, 'Hello');
    visitors.service.test.clock.advance(DAY);
    await say(page, 'Who are you?');
    expect(await page.locator('.mine.done').count()).toBe(2);
    const log = (await page.locator('#exchanges li').allInnerTexts())
      .map((line) => line.replace(/\s+/g, ' '))
      .filter((line) => !line.includes('/chat/events'))
      .reverse();
    const at = log.findIndex((line) => line.startsWith('403'));
    expect(log.slice(at, at + 3)).toEqual([
      expect.stringMatching(/^403 POST \/chat .*The token has expired: a new one, and once more\./),
      expect.stringMatching(/^200 POST \/jwt .*Token issued\./),
      expect.stringMatching(/^400 POST \/chat .*Once more, with the new token\./),
    ]);
    expect(log.at(-1)).toMatch(/^200 POST \/chat/);
    await close();
  });

  it('is right-to-left in Arabic', async () => {
    const { page, close } = await visitors.open('&language=ar');
    await start(page);
    await say(page, 'مرحبا');
    expect(await page.locator('.panel').getAttribute('dir')).toBe('rtl');
    expect((await page.locator('#links').innerText()).split(/\s*\n\s*/)).toEqual(['واجهة البرمجة', 'الطلبات']);
    const [mine, theirs] = await Promise.all(
      ['.mine .text', '.theirs .text'].map((bubble) => page.locator(bubble).last().boundingBox()),
    );
    expect(mine!.x).toBeLessThan(theirs!.x);
    await close();
  });
});

it('can be turned off', async () => {
  const off = await startPageService({ demo: false });
  expect(await off.test.call({ path: '/' })).toMatchObject({ status: 404 });
  expect(await off.test.call({ path: '/widget.js' })).toMatchObject({ status: 200 });
  await off.close();
});
