/**
 * What people see of a hand-over in Chromium: how soon the console shows who waits, and a visitor what a person writes, at one
 * process and at two; how soon the console paints; and what a turn costs where a person can be asked for.
 *
 *   npm run verify -- people
 */
import { randomBytes } from 'node:crypto';
import { chromium } from 'playwright-core';
import { chromiumOptions } from '../support/chromium.mjs';
import { ask, keepAlive, metric, Report, startDatabase, startService, tokenOf } from './harness.mjs';

const TIMES = 10;
const LOADS = 7;
/** Rounds of turns, by turns with and without hand-over, and turns in each. */
const [ROUNDS, TURNS] = [20, 50];

const report = new Report('npm run verify -- people');
const database = await startDatabase();
const key = randomBytes(24).toString('hex');
const env = { MONGODB_URI: database.uri, ADMIN_KEY: key, RATE_LIMIT: 'off' };
const [one, other] = [await startService(env), await startService(env)];
const agent = keepAlive();

/** @param {{ port: number }} service @param {string} path @param {object} [options] */
const operate = async ({ port }, path, options = {}) => {
  const { status, body } = await ask(port, `/admin/${path}`, { token: key, agent, ...options });
  if (status >= 300) throw new Error(`${path} answered ${status}`);
  return body;
};
const { projects } = await operate(one, 'catalogue');
const project = projects.find(({ project_id }) => project_id === 'default');
const body = {
  projects: [
    { ...project, handover: { enabled: true } },
    { ...project, project_id: 'plain' },
  ],
};
await operate(one, 'catalogue', { method: 'PUT', body });

const browser = await chromium.launch(chromiumOptions());
const open = async (url) => {
  const page = await (await browser.newContext({ locale: 'en' })).newPage();
  await page.goto(url);
  return page;
};
/**
 * The time until a page has painted a text, from when an act begins.
 *
 * @param {import('playwright-core').Page} page
 * @param {string} root where the text appears, as an expression
 * @param {string} text
 * @param {() => Promise<unknown>} act
 */
const timeUntil = async (page, root, text, act) => {
  await page.evaluate(`{
    const root = ${root};
    const painted = (done) => requestAnimationFrame(() => requestAnimationFrame(done));
    globalThis.painted = new Promise((resolve) => {
      const look = () => root.textContent.includes(${JSON.stringify(text)}) && painted(() => resolve(Date.now()));
      new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true });
    });
    // Not awaited here.
    undefined;
  }`);
  const began = Date.now();
  await act();
  return /** @type {Promise<number>} */ (page.evaluate('painted')).then((at) => at - began);
};
const show = (times) => {
  const sorted = times.toSorted((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)]} ms, at most ${sorted.at(-1)} ms`;
};

const paints = [];
for (let n = 0; n < LOADS; n++) {
  const page = await open(`${one.url}/console`);
  await page.getByLabel('Key').waitFor();
  paints.push(Math.round(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)));
  await page.context().close();
}
report.row(
  `The console, loaded ${LOADS} times: first paint`,
  '≤ 1 s',
  show(paints),
  paints.every((ms) => ms <= 1000),
);

const desk = await open(`${one.url}/console`);
await desk.getByLabel('Key').fill(key);
await desk.getByLabel('Your name').fill('Sam');
await desk.keyboard.press('Enter');
await desk.locator('.top select').selectOption('default');
await desk.getByText('Nobody waits for a person.').waitFor();

const visitor = await open(`${one.url}/?avatar=ada&language=en&chat-type=text`);
await visitor.locator('avatar-chat textarea').waitFor();
const user_id = await visitor.evaluate(`localStorage['avatar-chat-user']`);
const take = { method: 'PUT', body: { state: 'person', name: 'Sam' } };
await operate(one, `conversations/${user_id}?project_id=default`, take);
await visitor.getByText('Sam, a person, answers now.').waitFor();

for (const [name, service, limit] of /** @type {const} */ ([
  ['the same process', one, 1000],
  ['another process', other, 2000],
])) {
  const waits = [];
  for (let n = 0; n < TIMES; n++) {
    const user = `waits-${service.port}-${n}`;
    const token = await tokenOf(service.port, user);
    const wish = { method: 'PUT', token, agent, body: { state: 'waiting' } };
    waits.push(await timeUntil(desk, 'document.body', user, () => ask(service.port, '/chat/conversation', wish)));
  }
  const isSoon = waits.every((ms) => ms <= 2000);
  report.row(`${TIMES} visitors ask for a person at ${name}: until the console shows it`, '≤ 2 s', show(waits), isSoon);
  const times = [];
  for (let n = 0; n < TIMES; n++) {
    const answer = `Message ${n} at ${service.port}.`;
    const message = { method: 'POST', body: { project_id: 'default', user_id, avatar_id: 'ada', answer } };
    const root = `document.querySelector('avatar-chat').shadowRoot`;
    times.push(await timeUntil(visitor, root, answer, () => operate(service, 'messages', message)));
  }
  report.row(
    `${TIMES} messages of a person at ${name}: until they are on the visitor's screen`,
    `≤ ${limit / 1000} s`,
    show(times),
    times.every((ms) => ms <= limit),
  );
}
await browser.close();

/** Milliseconds and processor time of each turn of a project, one after the other, in one round. */
const measure = async (project_id, token) => {
  const { port } = one;
  const spent = await metric(port, 'process_cpu_seconds_total');
  const began = performance.now();
  for (let n = 0; n < TURNS; n++) {
    const turn = { method: 'POST', token, agent, body: { avatar_id: 'ada', request: 'Hello' } };
    const { status } = await ask(port, '/chat', turn);
    if (status !== 201) throw new Error(`POST /chat in ${project_id} answered ${status}`);
  }
  const ms = performance.now() - began;
  return { ms, cpu: (await metric(port, 'process_cpu_seconds_total')) - spent };
};
const tokens = {};
for (const project_id of ['default', 'plain']) {
  const { body: given } = await ask(one.port, '/jwt', { method: 'POST', body: { user_id: 'bea', project_id } });
  tokens[project_id] = given.jwt;
  for (let n = 0; n < 5; n++) await measure(project_id, given.jwt);
}
const ratios = { ms: [], cpu: [] };
for (let round = 0; round < ROUNDS; round++) {
  const seen = {};
  for (const project_id of round % 2 ? ['plain', 'default'] : ['default', 'plain'])
    seen[project_id] = await measure(project_id, tokens[project_id]);
  for (const what of ['ms', 'cpu']) ratios[what].push(seen.default[what] / seen.plain[what]);
}
const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
const [slower, dearer] = [median(ratios.ms), median(ratios.cpu)];
report.row(
  `\`POST /chat\` where a person can be asked for, compared with where none can, ${ROUNDS} × ${TURNS} turns each`,
  '≤ 1.03 × the time',
  `${slower.toFixed(3)} × the time, ${dearer.toFixed(3)} × the processor time`,
  slower <= 1.03,
);
await Promise.all([one.stop(), other.stop()]);
await database.stop();
report.end();
