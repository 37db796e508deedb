import { h, icon } from '../core/dom.js';

/** An error message in place of the content. */
export function errorView(text: string, again: string, retry: () => void): HTMLElement {
  return h(
    'div',
    { class: 'trouble' },
    h('p', { role: 'alert' }, icon('alert'), text),
    h('button', { type: 'button', class: 'primary', onclick: retry }, icon('retry'), again),
  );
}
