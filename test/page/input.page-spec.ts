import { compose } from './browser.js';
import { say, Visitors, write } from './visitors.js';

const visitors = new Visitors();
const PUPPET = '&project-id=listening&avatar=puppet&language=en&chat-type=text';

it('leaves Enter and Escape to an input method', async () => {
  const { page, user_id, close } = await visitors.open(PUPPET);
  await page.evaluate(`document.querySelector('avatar-chat').setAttribute('floating', '')`);
  await page.locator('textarea').fill('にほんg');
  await compose(page, 'textarea', 'Enter');
  expect(await page.locator('textarea').inputValue()).toBe('にほんg');
  await write(page, 'count 100');
  await page.locator('.theirs.speaking').waitFor();
  await compose(page, 'textarea', 'Escape');
  await page.locator('.theirs.done .text', { hasText: '100' }).waitFor();
  await compose(page, 'textarea', 'Escape');
  expect(await page.evaluate(`document.querySelector('avatar-chat').isOpen`)).toBe(true);
  expect((await visitors.history(user_id, 'listening')).map(({ request }) => request)).toEqual([
    'count 100',
    'count 100',
  ]);
  await page.keyboard.press('Escape');
  expect(await page.evaluate(`document.querySelector('avatar-chat').isOpen`)).toBe(false);
  await close();
});

it('cuts nothing off a text that is too long, says so, and counts characters', async () => {
  const { page, user_id, close } = await visitors.open(PUPPET);
  await page.locator('textarea').fill(`${'😀'.repeat(8001)}a \n`);
  await page.getByText('Too long by 2 characters.').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('button.send').click();
  expect(await page.locator('.mine').count()).toBe(0);
  expect((await page.locator('textarea').inputValue()).length).toBe(16_005);
  await write(page, '😀'.repeat(8000));
  await page.locator('.mine.done').waitFor();
  expect(await page.locator('.too-long').innerText()).toBe('');
  expect([...(await visitors.history(user_id, 'listening')).at(-1)!.request]).toHaveLength(8000);
  await close();
});

it('does not cut the words of a recording either', async () => {
  const { page, close } = await visitors.open('&project-id=wordless&avatar=bruno&language=en&chat-type=voice');
  await page.locator('.microphone').click();
  await page.locator('.words input').fill('a'.repeat(8003));
  await page.getByText('Too long by 3 characters.').waitFor();
  await page.locator('.words .primary').click();
  expect(await page.locator('.words input').inputValue()).toHaveLength(8003);
  await close();
});

it('keeps the words of a table whole on a phone, and lets a wide table scroll', async () => {
  const { page, close } = await visitors.open(PUPPET, { viewport: { width: 320, height: 640 } });
  const words = ['Temperature', 'Precipitation', 'Electroencephalography', 'Wednesday'];
  await say(page, `see\n\n|${words.join('|')}|\n${'|-'.repeat(4)}|\n|${words.join('|')}|\n\nafter`);
  const [box, bubble, cells] = await page.locator('.theirs.done .wide').evaluate((element) => {
    const { clientWidth, scrollWidth, parentElement } = element as unknown as Record<string, any>;
    const heights = [...(element as any).querySelectorAll('th, td')].map(({ offsetHeight }: any) => offsetHeight);
    return [{ clientWidth, scrollWidth }, parentElement.getBoundingClientRect().right, heights] as const;
  });
  expect(box.scrollWidth).toBeGreaterThan(box.clientWidth);
  expect(bubble).toBeLessThanOrEqual(320);
  for (const height of cells) expect(height).toBeLessThan(45);
  await close();
});

it('opens a conversation with an answer of thousands of nested quotes', async () => {
  const { page, close } = await visitors.open(PUPPET);
  await write(page, `see\n\n${'> '.repeat(3000)}deep`);
  await page.locator('.theirs.done').nth(1).waitFor();
  await page.reload();
  expect(await page.locator('.theirs .text', { hasText: 'deep' }).first().innerText()).toMatch(/deep$/);
  await close();
});
