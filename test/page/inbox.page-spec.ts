import type { Page } from 'playwright-core';
import { CatalogueService, ChatService, Owner } from '../../src/index.js';
import { aTurn, aUser } from '../support/index.js';
import { axeFaultsOf } from './axe.js';
import { compose, hold, until } from './browser.js';
import { ADMIN_KEY, keyOf, OFFICE, Operators, SHOP } from './operators.js';

const operators = new Operators();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const list = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const item = (page: Page, name: string, user_id: string) => list(page, name).getByRole('link', { name: user_id });
const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const keyDialog = (page: Page) => page.getByRole('dialog', { name: 'The key is not valid any more.' });
const discardDialog = (page: Page) => page.getByRole('dialog', { name: 'Discard your text?' });

/**
 * The service does not know a key any more: from now on, or from the operator's next answer on, so that no other request asks
 * for a key before it.
 *
 * @returns the addresses of the requests that it refuses
 */
async function revoke(page: Page, key: string, from: 'now' | 'answer' = 'now'): Promise<string[]> {
  const refused: string[] = [];
  let isRevoked = from === 'now';
  await page.route('**/admin/**', (route) => {
    const headers = route.request().headers();
    isRevoked ||= route.request().url().endsWith('/admin/messages') && route.request().method() === 'POST';
    if (!isRevoked || headers.authorization !== `Bearer ${key}`) return route.fallback();
    refused.push(route.request().url());
    return route.continue({ headers: { ...headers, authorization: `Bearer ${'z'.repeat(40)}` } });
  });
  return refused;
}

/** Enters a key into the dialog. @returns lets the service answer, and waits until the page has had time to go on */
async function enterSlowly(page: Page, key: string) {
  const release = await hold(page, '**/admin/projects');
  await keyDialog(page).getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  return async () => {
    const answered = page.waitForResponse('**/admin/projects');
    release();
    await (await answered).finished();
    await page.waitForTimeout(500);
  };
}

/** A user with a turn, who may ask for a person. */
async function aVisitor(request = 'What is a cloud?') {
  const user_id = aUser();
  const token = await operators.test.token(user_id, SHOP);
  await operators.test.app.get(ChatService).record(aTurn({ owner: new Owner(SHOP, user_id), request }));
  const conversation = (body?: object) =>
    operators.test.call({ method: body ? 'PUT' : 'GET', path: '/chat/conversation', token, body });
  return {
    user_id,
    /** Sends a message. @returns the status */
    say: (request: string) =>
      operators.test.call({ method: 'POST', path: '/chat', token, body: { avatar_id: 'ada', request } }),
    askForPerson: () => conversation({ state: 'waiting' }),
    state: async () => (await conversation()).body,
    history: async () => (await operators.test.call({ path: `/chat?user_id=${user_id}`, token })).body.payload,
  };
}

it('an operator sees who waits, takes the conversation, answers and hands it back', async () => {
  const { page, faults } = await operators.signIn(keyOf('agent'));
  await page.getByText('Nobody waits for a person.').waitFor();
  const visitor = await aVisitor();
  const { user_id } = visitor;
  await visitor.askForPerson();
  // What the user said last, rather than what the avatar said to it.
  expect((await visitor.say('I want to kill myself')).status).toBe(202);
  await page.reload();
  await item(page, 'Waiting', user_id).getByText('I want to kill myself').waitFor();
  expect(await page.title()).toMatch(/^\(1\) /);
  await item(page, 'Waiting', user_id).click();
  await log(page).getByText('What is a cloud?').waitFor();
  await button(page, 'Take').click();
  await page.getByText('You answer.').waitFor();
  expect(await visitor.state()).toMatchObject({ state: 'person', name: 'Sam' });
  await item(page, 'Taken', user_id).waitFor();
  // The focus is where the operator goes on.
  await page.keyboard.type('Hello, I am a person.');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('How can I help?');
  await page.keyboard.press('Enter');
  await log(page).getByText('How can I help?').waitFor();
  await until(async () => (await page.getByLabel('Answer').inputValue()) === '', 'the answer is sent');
  expect((await visitor.history())[0]).toMatchObject({
    direction: 'incoming',
    answer: 'Hello, I am a person.\nHow can I help?',
    avatar_name: 'Sam',
  });
  expect((await visitor.say('<b>My lamp</b> is broken.')).status).toBe(202);
  await log(page).getByText('<b>My lamp</b> is broken.').waitFor();
  expect(await log(page).locator('article').count()).toBe(6);
  await button(page, 'Hand back').click();
  await page.getByText('The avatar answers.').waitFor();
  expect(await visitor.state()).toMatchObject({ state: 'avatar' });
  await page.getByText('No conversation is taken.').waitFor();
  expect(await page.title()).not.toMatch(/^\(/);
  expect(faults).toEqual([]);
});

it('a visitor who has said nothing yet is answered', async () => {
  const { page } = await operators.signIn(keyOf('agent'));
  const user_id = aUser();
  const token = await operators.test.token(user_id, SHOP);
  await operators.test.call({ method: 'PUT', path: '/chat/conversation', token, body: { state: 'waiting' } });
  await item(page, 'Waiting', user_id).click();
  await button(page, 'Take').click();
  await page.getByLabel('Answer').fill('How can I help?');
  await page.keyboard.press('Enter');
  await log(page).getByText('How can I help?').waitFor();
  const { payload } = (await operators.test.call({ path: `/chat?user_id=${user_id}`, token })).body;
  expect(payload).toMatchObject([{ answer: 'How can I help?', avatar_id: 'ada', avatar_name: 'Sam' }]);
});

it('a key that has become invalid is asked for over the page, which keeps what was typed and goes on with the new one', async () => {
  const { page } = await operators.signIn(keyOf('agent'));
  const visitor = await aVisitor();
  await visitor.askForPerson();
  await item(page, 'Waiting', visitor.user_id).click();
  await button(page, 'Take').click();
  const answer = page.getByLabel('Answer');
  await answer.fill('A long answer.');
  const refused = await revoke(page, keyOf('agent'), 'answer');
  const [dialog, discard] = [keyDialog(page), discardDialog(page)];
  await answer.press('Enter');
  await dialog.waitFor();
  // The answer, and what the page had begun to ask before it was refused.
  const asked = refused.length;
  operators.dropConnections();
  expect(await axeFaultsOf(page)).toEqual([]);
  // Other requests wait for the answer, and nothing is lost by accident.
  await page.keyboard.press('Escape');
  await discard.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await discard.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByLabel('Key').fill('x'.repeat(40));
  await page.keyboard.press('Enter');
  await dialog.getByText('This is no key of an operator.').waitFor();
  await dialog.getByLabel('Key').fill(ADMIN_KEY);
  await page.keyboard.press('Enter');
  await until(async () => (await answer.inputValue()) === '', 'the answer is sent');
  expect((await visitor.history())[0]).toMatchObject({ answer: 'A long answer.', avatar_name: 'Sam' });
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(refused).toHaveLength(asked);
  // The event stream goes on, too.
  await visitor.say('Thank you!');
  await log(page).getByText('Thank you!').waitFor();
  await page.reload();
  await button(page, 'Hand back').waitFor();
});

it('a new key of another project or role opens its own pages, and what was typed is not lost unasked', async () => {
  const office = { project_id: OFFICE, avatars: ['ada'], languages: ['en'], handover: { enabled: true } };
  await operators.test.app.get(CatalogueService).apply(JSON.stringify({ projects: [office] }));
  const { page, faults } = await operators.signIn(keyOf('agent'));
  const [dialog, discard] = [keyDialog(page), discardDialog(page)];
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
  const shows = (pages: string) =>
    until(async () => (await links.allInnerTexts()).join(', ').replace(/ \(.*\)/, '') === pages, pages);
  const visitor = await aVisitor();
  await visitor.askForPerson();
  await item(page, 'Waiting', visitor.user_id).click();
  await button(page, 'Take').click();
  const answer = page.getByLabel('Answer');
  await answer.fill('A long answer.');
  await revoke(page, keyOf('agent'), 'answer');
  await answer.press('Enter');
  await dialog.getByLabel('Key').fill(keyOf('agent', OFFICE));
  await page.keyboard.press('Enter');
  await discard.getByRole('button', { name: 'Cancel' }).click();
  await dialog.getByText('This key is for another project, or allows less.').waitFor();
  expect(await answer.inputValue()).toBe('A long answer.');
  expect(await page.evaluate('Object.values(sessionStorage)')).not.toContain(keyOf('agent', OFFICE));
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await discard.getByRole('button', { name: 'Discard' }).click();
  await until(async () => (await page.getByLabel('Project').inputValue()) === OFFICE, 'the other project is open');
  await page.getByText('Nobody waits for a person.').waitFor();
  expect(JSON.stringify(await visitor.history())).not.toContain('A long answer.');
  await shows('Inbox, Users');
  // Of another role, with fewer pages or more.
  await revoke(page, keyOf('agent', OFFICE));
  operators.dropConnections();
  await dialog.getByLabel('Key').fill(keyOf('viewer'));
  await page.keyboard.press('Enter');
  await shows('Users, Overview');
  await revoke(page, keyOf('viewer'));
  await links.getByText('Overview').click();
  await dialog.getByLabel('Key').fill(keyOf('owner'));
  await page.keyboard.press('Enter');
  // The page goes on, and the next one shows what the key allows besides.
  await dialog.waitFor({ state: 'hidden' });
  await links.getByText('Users').click();
  await shows('Inbox, Users, Overview, Knowledge, Webhooks, Audit log');
  expect(await page.getByLabel('Project').inputValue()).toBe(SHOP);
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await page.getByText('The connection is lost.').count()).toBe(0);
  expect(faults).toEqual([]);
});

it('a new key that the service confirms while the operator is asked whether to leave is used if they stay', async () => {
  const { page } = await operators.signIn(keyOf('agent'));
  const visitor = await aVisitor();
  await visitor.askForPerson();
  await item(page, 'Waiting', visitor.user_id).click();
  await button(page, 'Take').click();
  const answer = page.getByLabel('Answer');
  await answer.fill('A long answer.');
  await revoke(page, keyOf('agent'), 'answer');
  await answer.press('Enter');
  const confirm = await enterSlowly(page, keyOf('owner'));
  await page.keyboard.press('Escape');
  await discardDialog(page).waitFor();
  await confirm();
  await discardDialog(page).getByRole('button', { name: 'Cancel' }).click();
  await until(async () => (await answer.inputValue()) === '', 'the answer is sent');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect((await visitor.history())[0]).toMatchObject({ answer: 'A long answer.', avatar_name: 'Sam' });
});

it('a new key that the service confirms after the operator has signed out is not kept', async () => {
  const { page } = await operators.signIn(keyOf('agent'));
  await revoke(page, keyOf('agent'));
  operators.dropConnections();
  const confirm = await enterSlowly(page, ADMIN_KEY);
  await keyDialog(page).getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('main').getByLabel('Your name').waitFor();
  await confirm();
  expect(await page.evaluate('Object.values(sessionStorage)')).toEqual([]);
  await page.reload();
  await page.getByRole('main').getByLabel('Your name').waitFor();
});

it('leaves Enter to an input method, and cuts nothing off an answer that is too long', async () => {
  const { page } = await operators.signIn(keyOf('agent'));
  const visitor = await aVisitor();
  await visitor.askForPerson();
  await item(page, 'Waiting', visitor.user_id).click();
  await button(page, 'Take').click();
  const answer = page.getByLabel('Answer');
  await answer.fill('にほんg');
  await compose(page, '.composer textarea', 'Enter');
  await answer.fill(`${'😀'.repeat(8001)}a \n`);
  await page.getByText('Too long by 2 characters.').waitFor();
  await page.keyboard.press('Enter');
  expect(await answer.inputValue()).toHaveLength(16_005);
  await answer.fill('😀'.repeat(8000));
  await page.keyboard.press('Enter');
  await until(async () => (await answer.inputValue()) === '', 'the answer is sent');
  expect(await page.locator('.too-long').innerText()).toBe('');
  const answers = (await visitor.history()).map((each: { answer?: string }) => each.answer);
  expect(answers).toContain('😀'.repeat(8000));
  expect(answers.join()).not.toMatch(/にほん|😀a/);
});

it('a prepared reply is chosen with the keyboard, and can be changed before it is sent', async () => {
  const { page, faults } = await operators.signIn(keyOf('agent'));
  const visitor = await aVisitor();
  await visitor.askForPerson();
  await item(page, 'Waiting', visitor.user_id).click();
  await button(page, 'Take').click();
  await page.getByText('You answer.').waitFor();
  const answer = page.getByLabel('Answer');
  const dialog = page.getByRole('dialog', { name: 'Prepared replies' });
  await page.keyboard.type('/');
  await dialog.getByRole('button', { name: 'Goodbye' }).waitFor();
  expect(await axeFaultsOf(page)).toEqual([]);
  // The arrow keys of an input method stay its own.
  await compose(page, '[type=search]', 'ArrowDown');
  await page.keyboard.type('nine to');
  await dialog.getByRole('button', { name: 'Goodbye' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.type(' Bye! ');
  expect(await answer.inputValue()).toBe('We are here from nine to five,\nMonday to Friday. Bye! ');
  await button(page, 'Replies').press('Enter');
  await dialog.getByRole('button', { name: 'Goodbye' }).waitFor();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  const sent = 'We are here from nine to five,\nMonday to Friday. Bye! Have a nice day!';
  await until(async () => (await answer.inputValue()) === '', 'the answer is sent');
  expect((await visitor.history())[0]).toMatchObject({ answer: sent, avatar_name: 'Sam' });
  // Escape leaves what was typed.
  await page.keyboard.type('/');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.type('faq');
  expect(await answer.inputValue()).toBe('/faq');
  expect(faults).toEqual([]);
});

it('of two operators, the second is asked before the conversation is taken from the first', async () => {
  const visitor = await aVisitor();
  await visitor.askForPerson();
  const hash = `#inbox/${visitor.user_id}`;
  const [sam, kim] = await Promise.all(['Sam', 'Kim'].map((name) => operators.signIn(keyOf('agent'), { hash, name })));
  await button(sam!.page, 'Take').click();
  await sam!.page.getByText('You answer.').waitFor();
  await kim!.page.getByText('Sam answers.').waitFor();
  await button(kim!.page, 'Take over').click();
  const dialog = kim!.page.getByRole('dialog', { name: 'Take it over?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await visitor.state()).toMatchObject({ name: 'Sam' });
  await button(kim!.page, 'Take over').click();
  await dialog.getByRole('button', { name: 'Take over' }).click();
  await kim!.page.getByText('You answer.').waitFor();
  await sam!.page.getByText('Kim answers.').waitFor();
  expect(await sam!.page.getByLabel('Answer').isVisible()).toBe(false);
});

it('any conversation can be opened from the users and taken, and a reload shows it again', async () => {
  const visitor = await aVisitor();
  const { page } = await operators.signIn(keyOf('owner'), { hash: '#users' });
  await page.getByLabel('Part of a user’s identifier').fill(visitor.user_id);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: visitor.user_id }).click();
  await page.getByText('The avatar answers.').waitFor();
  await button(page, 'Take over').click();
  await page.getByText('You answer.').waitFor();
  await page.reload();
  await page.getByText('You answer.').waitFor();
  await log(page).getByText('What is a cloud?').waitFor();
});

it('goes on after the connection was lost, and misses nothing', async () => {
  const visitor = await aVisitor();
  const { page, faults, stream } = await operators.signIn(keyOf('agent'), { hash: `#inbox/${visitor.user_id}` });
  await log(page).getByText('What is a cloud?').waitFor();
  await stream;
  const again = page.waitForRequest('**/admin/events?*');
  operators.dropConnections();
  // Addresses are logged: they have no name of a person.
  expect((await again).url()).not.toContain('Sam');
  await visitor.askForPerson();
  expect((await visitor.say('Is anybody there?')).status).toBe(202);
  await log(page).getByText('Is anybody there?').waitFor();
  await item(page, 'Waiting', visitor.user_id).waitFor();
  expect(await log(page).getByText('Is anybody there?').count()).toBe(1);
  expect(faults).toEqual([]);
});

it('shows why an answer was not sent, keeps it, and stores a repetition once', async () => {
  const visitor = await aVisitor();
  await visitor.askForPerson();
  const { page } = await operators.signIn(keyOf('agent'), { hash: `#inbox/${visitor.user_id}` });
  await button(page, 'Take').click();
  await page.getByText('You answer.').waitFor();
  // It arrives, but its response does not.
  operators.losing = 'POST /admin/messages';
  await page.getByLabel('Answer').fill('Only once');
  await button(page, 'Send').click();
  await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
  expect(await page.getByLabel('Answer').inputValue()).toBe('Only once');
  await page.getByRole('link', { name: 'Users' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await page.getByLabel('Answer').inputValue()).toBe('Only once');
  operators.losing = undefined;
  await button(page, 'Send').click();
  await until(async () => (await page.getByLabel('Answer').inputValue()) === '', 'it is sent');
  expect((await visitor.history()).filter(({ answer }: { answer?: string }) => answer === 'Only once')).toHaveLength(1);
  expect(await log(page).getByText('Only once').count()).toBe(1);
  // What is typed while it is sent is the next answer.
  const release = await hold(page, '**/admin/messages');
  await page.getByLabel('Answer').focus();
  await page.keyboard.type('One');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' two');
  release();
  await until(async () => (await page.getByLabel('Answer').inputValue()) === 'two', 'the first is sent');
});

it('has one column in a narrow window, and axe finds no fault', async () => {
  const visitor = await aVisitor();
  await visitor.askForPerson();
  const { page } = await operators.signIn(keyOf('agent'), { viewport: { width: 360, height: 740 } });
  await item(page, 'Waiting', visitor.user_id).click();
  await log(page).getByText('What is a cloud?').waitFor();
  expect(await list(page, 'Waiting').isVisible()).toBe(false);
  await button(page, 'Take').click();
  await page.getByText('You answer.').waitFor();
  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    expect((await axeFaultsOf(page)).map((fault) => [width, ...fault])).toEqual([]);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await button(page, 'Back to the list').click();
  await item(page, 'Taken', visitor.user_id).waitFor();
});
