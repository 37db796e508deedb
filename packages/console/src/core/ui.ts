import { h } from '../../../widget/src/core/dom.js';
import { ApiError } from './api.js';
import { t, type Text } from './translate.js';

export { h };

type Attributes = Record<string, unknown>;
let count = 0;
/** An identifier for this document. */
export const newId = (): string => `c${++count}`;

/** A place for what went wrong. */
export class Alert {
  readonly element = h('p', { class: 'alert', role: 'alert', hidden: true });

  show(error: unknown): void {
    if (error instanceof DOMException && error.name === 'AbortError') return;
    if (!(error instanceof ApiError)) console.error(error);
    this.showText(error instanceof ApiError ? textOf(error) : t('Something went wrong in this page.'));
  }

  showText(text: string): void {
    this.element.textContent = text;
    this.element.hidden = false;
  }

  clear(): void {
    this.element.hidden = true;
    this.element.textContent = '';
  }

  /** Runs an action, and shows its failure. @returns whether it succeeded */
  async run(action: () => unknown): Promise<boolean> {
    this.clear();
    try {
      await action();
      return true;
    } catch (error) {
      this.show(error);
      return false;
    }
  }
}

function textOf(error: ApiError): string {
  return error.isForbidden ? t('Your key does not allow this.') : error.message;
}

/** A button that cannot be pressed again before its action is over. It keeps the focus meanwhile. */
export function button(label: string, alert: Alert, action: () => unknown, attributes: Attributes = {}) {
  const element = h('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', async () => {
    if (element.getAttribute('aria-disabled') === 'true') return;
    element.setAttribute('aria-disabled', 'true');
    await alert.run(action);
    element.removeAttribute('aria-disabled');
  });
  return element;
}

/** A labelled control. */
export function field(label: string, control: HTMLElement, hint?: string): HTMLElement {
  control.id ||= newId();
  const hintId = `${control.id}-hint`;
  if (hint) control.setAttribute('aria-describedby', hintId);
  return h(
    'div',
    { class: 'field' },
    h('label', { for: control.id }, label),
    hint && h('small', { id: hintId }, hint),
    control,
  );
}

/** A form that never navigates. */
export function form(action: () => unknown, attributes: Attributes, ...children: (Node | undefined)[]) {
  const element = h('form', attributes, ...children);
  let isBusy = false;
  element.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    await action();
    isBusy = false;
  });
  return element;
}

type Cell = Node | string;

/** A table that scrolls sideways in a narrow window. Cells of columns in `numeric` are aligned to the right. */
export function table(
  caption: string,
  heads: readonly Text[],
  rows: readonly Cell[][],
  numeric: number[] = [],
): HTMLElement {
  const alignment = (index: number) => (numeric.includes(index) ? { class: 'number' } : {});
  const head = heads.map((each, index) => h('th', { scope: 'col', ...alignment(index) }, t(each)));
  const cellOf = (cell: Cell, index: number) =>
    index === 0 ? h('th', { scope: 'row' }, cell) : h('td', alignment(index), cell);
  const body = rows.map((cells) => h('tr', {}, ...cells.map(cellOf)));
  return h(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, ...head)), h('tbody', {}, ...body)),
  );
}

/** A select of days. Loads the first choice, and any later one, which aborts what is still loading. */
export function daysField(
  days: readonly number[],
  chosen: number,
  alert: Alert,
  load: (days: number, signal: AbortSignal) => Promise<void>,
): HTMLElement {
  const select = h(
    'select',
    {},
    ...days.map((each) => h('option', { value: String(each), selected: each === chosen }, t('{0} days', each))),
  );
  let loading = new AbortController();
  const choose = () => {
    loading.abort();
    loading = new AbortController();
    void alert.run(() => load(Number(select.value), loading.signal));
  };
  select.addEventListener('change', choose);
  choose();
  return field(t('Period'), select);
}

/**
 * Asks before something that cannot be undone.
 *
 * @param word has to be typed, if it is given
 */
export function confirmed(title: string, text: string, confirm: string, word?: string): Promise<boolean> {
  const id = newId();
  const input = word === undefined ? undefined : h('input', { autocomplete: 'off', spellcheck: false });
  const yes = h('button', { class: 'danger', disabled: word !== undefined }, confirm);
  const no = h('button', { type: 'button' }, t('Cancel'));
  const dialog: HTMLDialogElement = h(
    'dialog',
    { 'aria-labelledby': id },
    h('h2', { id }, title),
    h('p', {}, text),
    form(
      () => dialog.close('yes'),
      {},
      input && field(t('Type {0} to confirm', word!), input),
      h('div', { class: 'actions' }, no, yes),
    ),
  );
  input?.addEventListener('input', () => (yes.disabled = input.value !== word));
  no.addEventListener('click', () => dialog.close());
  return closed(dialog, input ?? no).then((value) => value === 'yes');
}

/** Shows a dialog until it is closed, and gives the focus back. @returns what it was closed with */
export function closed(dialog: HTMLDialogElement, focused: HTMLElement): Promise<string> {
  document.body.append(dialog);
  const opener = document.activeElement as HTMLElement | null;
  dialog.showModal();
  focused.focus();
  return new Promise((resolve) =>
    dialog.addEventListener('close', () => {
      dialog.remove();
      // Chromium gives it back by itself, and half the times then types nothing into a field.
      if (document.activeElement === opener) opener?.blur();
      if (document.activeElement === document.body) opener?.focus();
      resolve(dialog.returnValue);
    }),
  );
}

/** Asks before text that is not saved is lost, if there is any. */
export async function mayDiscard(isChanged: boolean | undefined): Promise<boolean> {
  return !isChanged || confirmed(t('Discard your text?'), t('It is not saved, or not sent.'), t('Discard'));
}
