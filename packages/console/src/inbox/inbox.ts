import type { Conversation } from '../core/types.js';
import { Alert, button, h } from '../core/ui.js';
import type { PageView, Workplace } from '../workplace.js';
import { ConversationView, summaryOf } from './conversation-view.js';
import { t } from '../core/translate.js';

const LISTS = [
  { state: 'waiting', title: t('Waiting'), none: t('Nobody waits for a person.') },
  { state: 'person', title: t('Taken'), none: t('No conversation is taken.') },
] as const;

/** The conversations of people, and one of them. @param user_id of the one that is open */
export function inbox(work: Workplace, user_id?: string): PageView {
  const alert = new Alert();
  const { conversations } = work;
  const lists = LISTS.map(({ state, title, none }) => {
    const count = h('span', { class: 'count' });
    const items = h('ul', { class: 'items' });
    const more = button(t('More'), alert, () => conversations.loadMore(state), { hidden: true });
    const show = () => {
      const list = conversations.list(state);
      count.textContent = String(list.length) + (conversations.hasMore(state) ? '+' : '');
      more.hidden = !conversations.hasMore(state);
      // The item in focus may move, but has to stay.
      const focused = items.contains(document.activeElement) ? document.activeElement!.getAttribute('href') : undefined;
      items.replaceChildren(...list.map((each) => item(each, user_id)));
      if (list.length === 0) items.append(h('li', { class: 'note' }, none));
      if (focused) [...items.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused)?.focus();
    };
    return { show, element: h('section', { 'aria-label': title }, h('h2', {}, title, ' ', count), items, more) };
  });
  const showAll = () => lists.forEach(({ show }) => show());
  const stop = conversations.onChange(showAll);
  showAll();
  const view =
    user_id === undefined ? undefined : new ConversationView(work, user_id, () => (location.hash = '#inbox'));
  const none = h('p', { class: 'note' }, t('Choose a conversation.'));
  const element = h(
    'div',
    { class: `inbox${view ? ' open' : ''}` },
    h('div', { class: 'lists' }, alert.element, ...lists.map((list) => list.element)),
    view?.element ?? h('section', { class: 'conversation empty' }, none),
  );
  return {
    title: user_id === undefined ? t('Inbox') : t('Conversation with {0}', user_id),
    element,
    focus: view ? () => view.focus() : undefined,
    handle: (event) => view?.handle(event),
    isChanged: () => view?.isChanged ?? false,
    dispose() {
      stop();
      view?.dispose();
    },
  };
}

function item(conversation: Conversation, open?: string): HTMLElement {
  const { user_id } = conversation;
  const isOpen = user_id === open;
  const link = h(
    'a',
    { href: `#inbox/${user_id}`, 'aria-current': isOpen ? 'true' : undefined },
    h('b', {}, user_id),
    h('span', { dir: 'auto' }, summaryOf(conversation)),
  );
  return h('li', {}, link);
}
