import type { Browser, Page } from 'playwright-core';
import { aUser } from '../support/index.js';
import { axeFaultsOf } from './axe.js';
import { inBrowser, isFirefox, until, visit } from './browser.js';
import type { Colours } from './firefox.js';
import { say, start, Visitors, write } from './visitors.js';

const visitors = new Visitors();

const PUPPET = '&project-id=listening&avatar=puppet&language=en&chat-type=text';
const ADA = '&avatar=ada&chat-type=text';

const answers = (page: Page) => page.locator('.theirs.done');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe('the view of a conversation', () => {
  it('suggests first questions, and sends them verbatim', async () => {
    const { page, user_id, close } = await visitors.open(ADA);
    await start(page);
    const group = page.getByRole('group', { name: 'Suggestions' });
    const second = group.getByRole('button').nth(1);
    const words = await second.innerText();
    expect(words).toBe('Tell me a surprising fact');
    await second.click();
    await answers(page).nth(1).waitFor();
    expect(await group.count()).toBe(0);
    expect((await visitors.history(user_id))[1]!.request).toBe(words);
    await close();
  });

  it('renders Markdown, and neither runs nor loads anything', async () => {
    const { page, requests, faults, close } = await visitors.open(PUPPET);
    const text = [
      'hi\n\n- **one**\n- two `x < 1`\n',
      '[site](https://a.example/b_c?d=1), [bad](javascript:alert(1)) ![cat](https://r.example/cat.png)',
      '<img src=https://r.example/x.png onerror="document.title=1"><script>document.title=2</script><b>old</b> snake_case_name',
      '```js\nconst a = "<b>";\n```',
    ].join('\n');
    await say(page, text);
    const answer = answers(page).last().locator('.text');
    expect(await answer.locator('ul li').allInnerTexts()).toEqual(['one', 'two x < 1']);
    expect(await answer.locator('li strong').innerText()).toBe('one');
    expect(await answer.locator('li code').innerText()).toBe('x < 1');
    expect(await answer.locator('pre').innerText()).toBe('const a = "<b>";');
    const links = await answer
      .locator('a')
      .evaluateAll((all) =>
        all.map((link) => ['href', 'target', 'rel'].map((name) => link.getAttribute(name)).concat(link.textContent)),
      );
    const elsewhere = ['_blank', 'noopener noreferrer'];
    expect(links).toEqual([
      ['https://a.example/b_c?d=1', ...elsewhere, 'site'],
      ['https://r.example/cat.png', ...elsewhere, 'cat'],
    ]);
    expect(await answer.innerText()).toMatch(/site, bad cat\s*old snake_case_name/);
    expect(await answer.locator('img, script, b').count()).toBe(0);
    // The user's own text is shown verbatim.
    expect(await page.locator('.mine .text').last().innerText()).toContain('**one**');
    const spoken = await page.locator('.unseen[role=status]').last().innerText();
    expect(spoken).toContain('one two x < 1');
    expect(spoken).not.toMatch(/\*|`|<b>old/);
    expect(await page.title()).toBe('Avatar chat');
    expect(requests.filter((url) => url.includes('example'))).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('copies and rates answers; ratings are there after a reload', async () => {
    const { page, user_id, close } = await visitors.open(PUPPET, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await say(page, '**bold** words');
    // For a picture that does not exist.
    await page.locator('.stage .icon-person').waitFor();
    expect(await page.locator('.stage img').count()).toBe(0);
    const last = answers(page).last();
    expect(await last.locator('time').getAttribute('datetime')).toMatch(/^\d{4}-\d\d-\d\dT/);
    await last.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('You said: **bold** words');
    const good = last.getByRole('button', { name: 'Good answer' });
    const bad = last.getByRole('button', { name: 'Bad answer' });
    const pressed = async () => [await good.getAttribute('aria-pressed'), await bad.getAttribute('aria-pressed')];
    expect(await pressed()).toEqual(['false', 'false']);
    const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
    await good.click();
    await bad.click();
    expect(await pressed()).toEqual(['false', 'true']);
    expect((await stored).status()).toBe(200);
    const [{ _id }] = (await visitors.history(user_id, 'listening')) as unknown as [{ _id: string }];
    const token = await visitors.service.test.token(user_id, 'listening');
    const rating = async () =>
      (await visitors.service.test.call({ path: `/messages/ratings?ids=${_id}`, token })).body.ratings[0]?.rating;
    await until(async () => (await rating()) === 'down', 'the rating');
    await page.reload();
    await until(async () => (await bad.getAttribute('aria-pressed')) === 'true', 'the rating after a reload');
    await bad.click();
    await until(async () => (await rating()) === undefined, 'no rating');
    await close();
  });

  it("keeps the user's volume, also at the next visit", async () => {
    const { page, close } = await visitors.open('&avatar=bruno&chat-type=voice');
    await start(page);
    const slider = page.getByRole('slider', { name: 'Volume' });
    await button(page, 'Turn sound off').click();
    await button(page, 'Turn sound on').waitFor();
    expect(await slider.inputValue()).toBe('0');
    await page.reload();
    await button(page, 'Turn sound on').click();
    expect(await slider.inputValue()).toBe('1');
    await close();
  });

  it('leaves space for messages on small screens, and the self-view covers none', async () => {
    const { page, close } = await visitors.open('&project-id=recording&avatar=bruno&chat-type=video', {
      viewport: { width: 640, height: 400 },
    });
    await start(page);
    await page.locator('.suggestions').waitFor();
    for (const listening of [false, true]) {
      if (listening) await page.locator('.microphone').click();
      if (listening) await page.locator('.preview:not([hidden])').waitFor();
      for (const [width, height] of [
        [640, 400],
        [844, 390],
        [320, 640],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
        const [messages, send] = [await boxOf('.messages'), await boxOf('.send')];
        const size = `${width} × ${height}`;
        expect([size, messages.height >= 120, send.y + send.height <= height]).toEqual([size, true, true]);
        if (listening) expect((await boxOf('.preview')).y).toBeGreaterThanOrEqual(messages.y + messages.height);
      }
    }
    await close();
  });
});

const COLOURS: readonly Colours[] = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
];
/** The third is 1280 × 800 at 200 %. */
const SIZES = [
  [320, 640],
  [390, 844],
  [640, 400],
  [768, 1024],
  [1280, 800],
  [1920, 1080],
] as const;

/** Checks a page: in Chromium in given colors, and in a given size. @returns the faults */
async function faultsOf(page: Page, colours: Colours, [width, height]: readonly [number, number]): Promise<unknown[]> {
  const { colorScheme, forcedColors } = colours;
  await page.emulateMedia(colours);
  await page.setViewportSize({ width, height });
  const query = `(prefers-color-scheme: ${colorScheme}) and (forced-colors: ${forcedColors})`;
  expect([query, await page.evaluate(`matchMedia('${query}').matches`)]).toEqual([query, true]);
  // The colors of selected items are the system's; those of Firefox without a desktop have little contrast.
  const rules = { 'color-contrast': { enabled: !isFirefox || forcedColors === 'none' } };
  const found = await axeFaultsOf(page, { rules });
  return found.map((fault) => [colorScheme, forcedColors, width, ...fault]);
}

describe('axe', () => {
  // Every language in all colors, and the choice, the first questions and an answer each in all colors and sizes.
  it.each(['en', 'de', 'es', 'fr', 'pt', 'ar', 'hi', 'zh'].map((language, n) => [language, n] as const))(
    'finds no fault in the language %s',
    async (language, n) => {
      const look = async (browser: Browser) => {
        const { page, close } = await visit(
          browser,
          visitors.service.page(aUser(), `&language=${language}&chat-type=voice`),
        );
        const found: unknown[] = [];
        const check = async (view: number) => {
          const colours = COLOURS[(isFirefox ? n : n + view) % COLOURS.length]!;
          found.push(...(await faultsOf(page, colours, SIZES[(n + 2 * view) % SIZES.length]!)));
        };
        await page.locator('.start-button').waitFor();
        await check(0);
        await start(page);
        await page.locator('.suggestions button').first().waitFor();
        await page.locator('#log-button').click();
        await check(1);
        await say(page, 'Tell me a joke');
        await page.route('**/chat', (route) => route.fulfill({ status: 400, json: {} }));
        await write(page, 'Another one');
        await page.locator('.mine.failed').waitFor();
        await check(2);
        expect(found).toEqual([]);
        await close();
      };
      // Firefox's colors are constant while it runs.
      await (isFirefox ? inBrowser({ colours: COLOURS[n % COLOURS.length] }, look) : look(visitors.browser));
    },
  );
});
