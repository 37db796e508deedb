import type { ExchangeReport } from 'avatar-chat-client';
import { h } from '../core/dom.js';
import { storedValue } from '../core/storage.js';
import { newUser, userId } from '../core/user.js';
import { pageStrings } from './strings.js';

const MAX_LOG_ROWS = 200;

const find = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const query = new URLSearchParams(location.search);

// Not from the URL: the sender of a link could choose the user id, and would then be able to read the visitor's messages.
const chat = h('avatar-chat' as 'div', { 'user-id': userId() });
for (const name of ['project-id', 'avatar', 'language', 'chat-type', 'theme']) {
  const value = query.get(name);
  if (value !== null) chat.setAttribute(name, value);
}

const log = find('log');
const logButton = find<HTMLButtonElement>('log-button');
logButton.addEventListener('click', () => {
  log.hidden = !log.hidden;
  logButton.setAttribute('aria-expanded', String(!log.hidden));
});

const words = pageStrings(query.get('language') ?? storedValue('language') ?? navigator.language);
const links = find('links');
links.lang = words.lang;
links.querySelector('a')!.textContent = words.api;
logButton.textContent = words.requests;

const user = find('user');
const showUser = () => (user.textContent = chat.getAttribute('user-id'));
find('new-user').addEventListener('click', () => {
  chat.setAttribute('user-id', newUser());
  showUser();
});
showUser();

const exchanges = find('exchanges');
/** Requests that got a 403 and will be repeated. */
const refused = new Set<string>();

chat.addEventListener('exchange', (event) => {
  const { method, path, status, milliseconds, request_id } = (event as CustomEvent<ExchangeReport>).detail;
  const name = `${method} ${path.replace(/([?&](?:signature|expires)=)[^&]*/g, '$1…')}`;
  const row = h(
    'li',
    { class: status === 403 || refused.has(name) ? 'renew' : status >= 200 && status < 300 ? 'good' : 'bad' },
    h('b', {}, status === 0 ? '—' : String(status)),
    h('span', {}, name),
    h('time', {}, `${milliseconds} ms`),
  );
  const note = noteOn(name, status);
  if (note) row.append(h('em', {}, note));
  if (request_id) row.title = `X-Request-Id: ${request_id}`;
  exchanges.prepend(row);
  while (exchanges.children.length > MAX_LOG_ROWS) exchanges.lastElementChild?.remove();
});

function noteOn(name: string, status: number): string | undefined {
  if (status === 0) return 'No answer.';
  if (status === 403) {
    if (refused.delete(name)) return 'Refused again with the new token: this is an error.';
    refused.add(name);
    return 'The token has expired: a new one, and once more.';
  }
  if (name === 'POST /jwt') return status === 200 ? 'Token issued.' : undefined;
  return refused.delete(name) ? 'Once more, with the new token.' : undefined;
}

find('main').append(chat);
