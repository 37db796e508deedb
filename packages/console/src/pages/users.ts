import { dateText, numberText } from '../core/format.js';
import type { MemoryDetails, UserDetails } from '../core/types.js';
import { Alert, button, confirmed, field, form, h, table } from '../core/ui.js';
import type { PageView, Workplace } from '../workplace.js';
import { t } from '../core/translate.js';

const SHOWN = 200;
const EXPORT_TIMEOUT_MS = 600_000;

/** Users with messages: find one, read, export and erase. */
export function users(work: Workplace): PageView {
  const { api, project_id, access } = work;
  const alert = new Alert();
  const search = h('input', { type: 'search', autocomplete: 'off', spellcheck: false });
  const result = h('div', { 'aria-live': 'polite' });
  const details = h('div');

  async function find(): Promise<void> {
    const { users: found } = await api.json<{ users: UserDetails[] }>('users', {
      query: { project_id, search: search.value.trim() || undefined },
    });
    const rows = found
      .slice(0, SHOWN)
      .map((user) => [
        access.conversations ? h('a', { href: `#inbox/${user.user_id}` }, user.user_id) : user.user_id,
        numberText(user.messages),
        dateText(user.first),
        dateText(user.last),
        h('div', { class: 'actions' }, ...actionsFor(user.user_id)),
      ]);
    const count = found.length === 1 ? t('1 user.') : t('{0} users.', found.length);
    const note = found.length > SHOWN ? t('{0} users. The first {1} are shown.', found.length, SHOWN) : count;
    result.replaceChildren(
      h('p', { class: 'note' }, found.length === 0 ? t('No user was found.') : note),
      ...(found.length > 0 ? [table(t('Users'), ['User', 'Messages', 'First', 'Last', 'Actions'], rows, [1])] : []),
    );
  }

  function actionsFor(user_id: string): HTMLElement[] {
    const named = (label: 'Export {0}' | 'Memories of {0}' | 'Erase {0}') => ({ 'aria-label': t(label, user_id) });
    return [
      ...(access.conversations ? [button(t('Export'), alert, () => exportUser(user_id), named('Export {0}'))] : []),
      ...(access.owner
        ? [
            button(t('Memories'), alert, () => showMemories(user_id), named('Memories of {0}')),
            button(t('Erase'), alert, () => erase(user_id), { class: 'danger', ...named('Erase {0}') }),
          ]
        : []),
    ];
  }

  async function exportUser(user_id: string): Promise<void> {
    const response = await api.open('messages', { query: { project_id, user_id }, timeout: EXPORT_TIMEOUT_MS });
    const href = URL.createObjectURL(await response.blob());
    h('a', { href, download: `${project_id}-${user_id}.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  async function showMemories(user_id: string): Promise<void> {
    const query = { project_id, user_id };
    const { memories } = await api.json<{ memories: MemoryDetails[] }>('memories', { query });
    const heading = h('h2', { tabIndex: -1 }, t('What is remembered of {0}', user_id));
    const forget = async () => {
      await api.json('memories', { method: 'DELETE', query });
      await showMemories(user_id);
    };
    details.replaceChildren(
      heading,
      memories.length === 0
        ? h('p', { class: 'note' }, t('Nothing.'))
        : h(
            'ul',
            {},
            ...memories.map(({ text, created }) => h('li', {}, text, h('small', {}, ` ${dateText(created)}`))),
          ),
      ...(memories.length > 0 ? [button(t('Forget all'), alert, forget, { class: 'danger' })] : []),
    );
    heading.focus();
  }

  async function erase(user_id: string): Promise<void> {
    const text = t('All messages, recordings, sessions and memories of {0} are removed for good.', user_id);
    if (!(await confirmed(t('Erase this user?'), text, t('Erase'), user_id))) return;
    await api.json('messages', { method: 'DELETE', query: { project_id, user_id } });
    details.replaceChildren();
    await find();
    search.focus();
  }

  const submit = () => alert.run(find);
  void submit();
  return {
    title: t('Users'),
    element: h(
      'div',
      { class: 'page' },
      form(
        submit,
        { class: 'row', role: 'search' },
        field(t('Part of a user’s identifier'), search),
        h('button', {}, t('Search')),
      ),
      alert.element,
      result,
      details,
    ),
  };
}
