import type { Page } from 'playwright-core';
import { CatalogueService } from '../../src/index.js';
import { AdminService } from '../../src/admin/index.js';
import { aProject, aUser } from '../support/index.js';
import { until } from './browser.js';
import { ADMIN_KEY, keyOf, Operators, SHOP } from './operators.js';
import { picture } from './walk.commands.js';

const operators = new Operators();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const main = (page: Page) => page.locator('main');
const stored = async () => JSON.parse(await operators.test.app.get(CatalogueService).export());
const avatarOf = async (id: string) => (await stored()).avatars.find(({ _id }: { _id: string }) => _id === id);
const projectOf = async (id: string) =>
  (await stored()).projects.find(({ project_id }: { project_id: string }) => project_id === id);

const open = async (hash: string, options = {}) => {
  const visited = await operators.signIn(ADMIN_KEY, { hash, ...options });
  const choice = (await visited.page.locator('.top select').elementHandle())!;
  if ((await choice.inputValue()) !== SHOP) {
    await choice.selectOption(SHOP);
    // The page of the other project goes away with its choice.
    await choice.waitForElementState('hidden');
  }
  await visited.page.locator('.entry, .scroll, .note').first().waitFor();
  return visited;
};
const save = async (page: Page) => {
  await button(page, 'Save').click();
  await page.getByText('Saved.', { exact: true }).waitFor();
};

/** As a person does it: Firefox's driver adds to what a field for numbers has. */
const retype = async (page: Page, label: string, text: string) => {
  await page.getByLabel(label).press('ControlOrMeta+a');
  await page.keyboard.type(text);
};

describe('avatars', () => {
  it('are changed, and tried out before they are saved', async () => {
    const { page, faults } = await open('#avatars');
    expect(await page.getByLabel('Identifier').inputValue()).toBe('ada');
    expect(
      await page.locator('.portrait').evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    ).toBeGreaterThan(50);
    await page.getByLabel('Name', { exact: true }).fill('Adele');
    await page.getByLabel('Message').fill('What is your name?');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('Adele', { exact: false }).last().waitFor();
    await page.getByRole('log').locator('.avatar p').filter({ hasText: 'Adele' }).waitFor();
    expect((await avatarOf('ada')).name).toBe('Ada');
    const spoken = page.waitForResponse(/avatars\/speak/);
    await button(page, 'Listen to the greeting').click();
    expect((await spoken).headers()['content-type']).toBe('audio/mpeg');
    await page.getByLabel('Speed').fill('1.2');
    await save(page);
    expect(await avatarOf('ada')).toMatchObject({ name: 'Adele', voice: { rate: 1.2 } });
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await save(page);
    expect(faults).toEqual([]);
  });

  it('tell faults beside their fields, and keep what was typed', async () => {
    const { page, faults } = await open('#avatars');
    const before = await stored();
    await retype(page, 'Pitch', '7');
    await page.getByLabel('Greeting', { exact: true }).fill('');
    await page.getByLabel('Engine').fill('{ "kind": "nobody" }');
    await button(page, 'Save').click();
    const fault = (label: string) =>
      page.locator('.field', { has: page.getByLabel(label, { exact: true }) }).locator('.fault');
    await fault('Pitch').getByText('must be <= 2').waitFor();
    await fault('Greeting').getByText('required').waitFor();
    await retype(page, 'Pitch', '1.5');
    await page.getByLabel('Greeting', { exact: true }).fill('Good day!');
    await button(page, 'Save').click();
    await fault('Engine').getByText('kind').waitFor();
    await page.getByLabel('Engine').fill('{ "kind": ');
    await button(page, 'Save').click();
    await fault('Engine').getByText('This is not valid JSON.').waitFor();
    expect(await page.getByLabel('Greeting', { exact: true }).inputValue()).toBe('Good day!');
    expect(await stored()).toEqual(before);
    expect(faults).toEqual([]);
  });

  it('are added like another one', async () => {
    const { page, faults } = await open('#avatars');
    await button(page, 'New avatar like this').click();
    const id = aUser();
    await page.getByLabel('Identifier').fill(id);
    await page.getByLabel('Name', { exact: true }).fill('Zoe');
    await save(page);
    expect(await avatarOf(id)).toMatchObject({ name: 'Zoe', engine: { kind: 'scripted' } });
    expect(await page.getByLabel('Avatar', { exact: true }).inputValue()).toBe(id);
    expect(faults).toEqual([]);
  });
});

describe('text that is not saved', () => {
  const asked = (page: Page) => page.getByRole('dialog', { name: 'Discard your text?' });
  const stay = async (page: Page) => {
    await asked(page).getByRole('button', { name: 'Cancel' }).click();
    await asked(page).waitFor({ state: 'detached' });
  };

  it('is not lost without a question, whatever is opened next', async () => {
    const { page, faults } = await open('#avatars');
    const name = page.getByLabel('Name', { exact: true });
    const avatar = page.getByLabel('Avatar', { exact: true });
    await name.fill('Adele');
    const ways = [
      () => avatar.selectOption('bruno'),
      () => button(page, 'New avatar like this').click(),
      () => page.getByRole('link', { name: 'Webhooks' }).click(),
      () => page.locator('.top select').selectOption('default'),
      () => button(page, 'Sign out').click(),
    ];
    for (const leave of ways) {
      await leave();
      await stay(page);
      expect(await name.inputValue()).toBe('Adele');
      expect([await avatar.inputValue(), await page.locator('.top select').inputValue()]).toEqual(['ada', SHOP]);
      expect(new URL(page.url()).hash).toBe('#avatars');
    }
    const leaving = page.waitForEvent('dialog');
    void page.reload().catch(() => undefined);
    const dialog = await leaving;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await asked(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    // Nothing is typed any more: nothing is asked.
    await page.getByRole('link', { name: 'Project', exact: true }).click();
    await page.getByLabel('Message while waiting').fill('One moment.');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await stay(page);
    await save(page);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('of a new avatar is not lost either, and the one it is like can be chosen again', async () => {
    const { page, faults } = await open('#avatars');
    await button(page, 'New avatar like this').click();
    const avatar = page.getByLabel('Avatar', { exact: true });
    await page.getByLabel('Identifier').fill('zoe');
    await avatar.selectOption('ada');
    await stay(page);
    expect(await page.getByLabel('Identifier').inputValue()).toBe('zoe');
    await avatar.selectOption('ada');
    await asked(page).getByRole('button', { name: 'Discard' }).click();
    await until(async () => (await page.getByLabel('Identifier').inputValue()) === 'ada', 'the avatar itself');
    expect(faults).toEqual([]);
  });
});

describe('a catalogue that is edited in two windows', () => {
  it('has the changes of both, if they are of different fields', async () => {
    const [one, other] = [await open('#project'), await open('#project')];
    await one.page.getByLabel('Message while waiting').fill('One moment.');
    await save(one.page);
    await other.page.getByLabel('Who gets a token').selectOption('verified');
    await save(other.page);
    expect(await projectOf(SHOP)).toMatchObject({ token_policy: 'verified', handover: { message: 'One moment.' } });
    await other.page.getByLabel('Who gets a token').selectOption('open');
    await save(other.page);
    expect([...one.faults, ...other.faults]).toEqual([]);
  });

  it('is told in the second one if both changed the same, and nothing is lost', async () => {
    const windows = [await open('#avatars'), await open('#avatars'), await open('#avatars')] as const;
    const [one, other, third] = windows.map(({ page }) => page.getByLabel('Greeting', { exact: true })) as [
      any,
      any,
      any,
    ];
    await one.fill('The first text.');
    await save(windows[0].page);
    await other.fill('The second text.');
    await third.fill('The third text.');
    for (const { page } of windows.slice(1)) {
      await button(page, 'Save').click();
      await page.getByText('Somebody else has changed this in the meantime. Your text is kept. Greeting').waitFor();
    }
    expect([await other.inputValue(), (await avatarOf('ada')).greetingText]).toEqual([
      'The second text.',
      'The first text.',
    ]);
    await button(windows[2].page, 'Show theirs').click();
    expect(await windows[2].page.getByLabel('Greeting', { exact: true }).inputValue()).toBe('The first text.');
    await button(windows[1].page, 'Save mine').click();
    await windows[1].page.getByText('Saved.', { exact: true }).waitFor();
    expect((await avatarOf('ada')).greetingText).toBe('The second text.');
    expect(windows.flatMap(({ faults }) => faults)).toEqual([]);
  });
});

it('prepared replies are added, changed and removed; in a second window, what others have named differently stays', async () => {
  const [one, other] = [await open('#project'), await open('#project')];
  const replies = async () => (await projectOf(SHOP)).replies;
  const before = await replies();
  const show = async () => {
    for (const { page } of [one, other]) await page.getByText('Prepared replies', { exact: true }).click();
  };
  await show();
  const group = ({ page }: typeof one) => page.getByRole('group', { name: 'Prepared replies' });
  const add = async (visit: typeof one, name: string, text: string) => {
    await visit.page.bringToFront();
    await visit.page.getByRole('button', { name: 'Add: Prepared replies' }).press('Enter');
    // The focus is in the first field.
    await visit.page.keyboard.type(name);
    await visit.page.keyboard.press('Tab');
    await visit.page.keyboard.insertText(text);
  };
  await add(one, before[1].name, 'A second one of this name');
  await button(one.page, 'Save').click();
  await group(one).nth(2).getByText('repeats that of').waitFor();
  // Faults are told beside the right one after another was removed.
  await button(one.page, `Remove ${before[0].name}`).click();
  await button(one.page, 'Save').click();
  await group(one).nth(1).getByText('repeats that of').waitFor();
  await group(one).nth(1).getByLabel('Name').fill('Two lines');
  await group(one).nth(1).getByLabel('Text').fill('One\nand two');
  await save(one.page);
  expect(await replies()).toEqual([before[1], { name: 'Two lines', text: 'One\nand two' }]);
  await add(other, 'Mine', 'My text');
  await save(other.page);
  const [lines, mine] = [
    { name: 'Two lines', text: 'One\nand two' },
    { name: 'Mine', text: 'My text' },
  ];
  expect(await replies()).toEqual([before[1], mine, lines]);
  // Both add one of the same name, and the other window one more.
  await show();
  await add(other, 'Late', 'As well');
  await save(other.page);
  await add(one, 'Mine', 'Another text');
  await button(one.page, 'Save').click();
  const told = 'Somebody else has changed this in the meantime. Your text is kept. Prepared replies';
  await one.page.getByText(told).waitFor();
  expect(await group(one).last().getByLabel('Text').inputValue()).toBe('Another text');
  expect(await replies()).toContainEqual(mine);
  await button(one.page, 'Save mine').click();
  await one.page.getByText('Saved.', { exact: true }).waitFor();
  expect(await replies()).toEqual([
    before[1],
    lines,
    { name: 'Mine', text: 'Another text' },
    { name: 'Late', text: 'As well' },
  ]);
  expect([...one.faults, ...other.faults]).toEqual([]);
});

it('projects are added, set up and removed', async () => {
  const { page, faults } = await open('#project');
  const project_id = aProject();
  await page.getByLabel('Name of a new project').fill(project_id);
  await button(page, 'Add').click();
  await page.getByRole('heading', { name: `Project ${project_id}` }).waitFor();
  await page.getByLabel('Days that messages are kept').fill('30');
  await page.getByLabel('Models remember what users say of themselves').selectOption('all');
  await page.getByLabel('video', { exact: true }).uncheck();
  await page.getByLabel('Avatars', { exact: true }).fill('ada\nnobody');
  await button(page, 'Save').click();
  await page.getByText('[1]: there is no avatar "nobody"').waitFor();
  await page.getByLabel('Avatars', { exact: true }).fill('bruno\nada');
  await page.getByText('Tool servers', { exact: true }).click();
  await page.getByRole('button', { name: 'Add: Tool servers' }).click();
  const server = page.getByRole('group', { name: 'Tool servers' });
  await server.getByLabel('Name').fill('shop');
  await server.getByLabel('Address').fill('http://127.0.0.1:9/');
  await server.getByLabel('Allowed tools').fill('find\nbuy');
  await save(page);
  const tools = async () => (await projectOf(project_id)).tool_servers;
  expect(await tools()).toMatchObject([{ name: 'shop', allow: ['find', 'buy'] }]);
  // All are allowed again.
  await page.getByText('Tool servers', { exact: true }).click();
  await server.getByLabel('Allowed tools').fill('');
  await save(page);
  expect((await tools())[0]).not.toHaveProperty('allow');
  expect(await projectOf(project_id)).toMatchObject({
    avatars: ['bruno', 'ada'],
    settings: { retentionDays: 30, memory: 'all', chat_types: ['text', 'voice'], greet: false },
  });
  await page.getByLabel('Days that messages are kept').fill('31');
  await page.getByLabel('Name of a new project').fill('second');
  const asked = page.getByRole('dialog', { name: 'Discard your text?' });
  for (const action of ['Add', `Remove ${project_id}`]) {
    await button(page, action).click();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'detached' });
  }
  expect(await projectOf('second')).toBeUndefined();
  await button(page, `Remove ${project_id}`).click();
  await asked.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill(project_id);
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.locator('.top option', { hasText: project_id }).waitFor({ state: 'detached' });
  expect(await projectOf(project_id)).toBeUndefined();
  expect(faults).toEqual([]);
});

it('webhooks: the log, another try, and another secret', async () => {
  const webhooks = [{ name: 'crm', url: 'http://127.0.0.1:9/', events: ['user.erased'] }];
  const project = await projectOf(SHOP);
  await operators.test.app.get(CatalogueService).apply(JSON.stringify({ projects: [{ ...project, webhooks }] }));
  const admin = operators.test.app.get(AdminService);
  const { Owner } = await import('../../src/index.js');
  await admin.eraseUser(new Owner(SHOP, aUser()));
  const { page, faults } = await operators.signIn(keyOf('owner'), { hash: '#webhooks' });
  const delivery = page.getByRole('row').filter({ hasText: 'user.erased' }).filter({ hasText: 'pending' });
  await delivery.first().waitFor();
  await button(page, 'Show the secret of crm').click();
  const secret = page.locator('main code');
  const former = await secret.innerText();
  await button(page, 'New secret for crm').click();
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
  await until(async () => (await secret.innerText()) !== former, 'another secret');
  const { webhooks: [shown] = [] } = (await admin.showProject(SHOP)) as { webhooks?: { secret?: string }[] };
  expect(await secret.innerText()).toBe(shown!.secret);
  await page.getByLabel('State').selectOption('delivered');
  await page.getByText('No webhook was called.').waitFor();
  await page.getByLabel('State').selectOption('');
  await delivery.first().waitFor();
  await button(page, 'Try all that failed again').click();
  await delivery.first().waitFor();
  expect(faults).toEqual([]);
});

describe('pictures', () => {
  it.each(['light', 'dark'] as const)('of every page, %s', async (colorScheme) => {
    const { page } = await open('#avatars', { colorScheme });
    if (process.env.SCREENSHOTS && colorScheme === 'dark') await page.setViewportSize({ width: 360, height: 780 });
    for (const hash of ['inbox', 'users', 'overview', 'knowledge', 'avatars', 'project', 'webhooks', 'audit']) {
      await page.evaluate(`location.hash = '${hash}'`);
      await main(page).locator('.entry, .scroll, .note, table').first().waitFor();
      expect(await main(page).getByRole('heading', { level: 1 }).count()).toBe(1);
      if (colorScheme === 'light' && hash === 'avatars') await picture(page, 'console');
      if (process.env.SCREENSHOTS)
        await page.screenshot({ path: `${process.env.SCREENSHOTS}/${hash}-${colorScheme}.png` });
    }
  });
});
