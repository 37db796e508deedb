import { isComposing } from '../../../widget/src/core/dom.js';
import type { ReplyList } from '../core/types.js';
import { closed, field, form, h, newId } from '../core/ui.js';
import type { Workplace } from '../workplace.js';
import { t } from '../core/translate.js';

/** Lets the operator choose a prepared reply of the project. @param take gets its text @returns when that is over */
export async function chooseReply({ api, project_id, access }: Workplace, take: (text: string) => void): Promise<void> {
  let replies: ReplyList['replies'] | undefined;
  const id = newId();
  const search = h('input', { type: 'search', autocomplete: 'off', dir: 'auto' });
  const list = h('ul', { class: 'items' });
  const none = h('p', { class: 'note', role: 'status' });
  const buttons = () => [...list.querySelectorAll('button')];
  const dialog: HTMLDialogElement = h(
    'dialog',
    { 'aria-labelledby': id },
    h('h2', { id }, t('Prepared replies')),
    form(() => buttons()[0]?.click(), {}, field(t('Search'), search, t('Enter takes the first.'))),
    none,
    list,
    h(
      'div',
      { class: 'actions' },
      access.catalogue && h('a', { href: '#project', onclick: () => dialog.close() }, t('Change the replies')),
      h('button', { type: 'button', onclick: () => dialog.close() }, t('Cancel')),
    ),
  );
  const show = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = (replies ?? []).filter(({ name, text }) => `${name}\n${text}`.toLowerCase().includes(wanted));
    const items = found.map(({ name, text }) => {
      // At once: the next key belongs to the answer.
      const choose = () => {
        dialog.close();
        take(text);
      };
      const parts = [h('b', { dir: 'auto' }, name), h('span', { dir: 'auto' }, text)];
      return h('li', {}, h('button', { type: 'button', onclick: choose }, ...parts));
    });
    list.replaceChildren(...items);
    none.textContent = items.length > 0 ? '' : replies?.length ? t('Nothing was found.') : t('The project has none.');
  };
  search.addEventListener('input', show);
  dialog.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || isComposing(event)) return;
    event.preventDefault();
    const all = [search, ...buttons()];
    all[all.indexOf(document.activeElement as HTMLInputElement) + step]?.focus();
  });
  const isOver = closed(dialog, search);
  try {
    ({ replies } = await api.json<ReplyList>(`projects/${project_id}/replies`));
    show();
    await isOver;
  } finally {
    dialog.close();
  }
}
