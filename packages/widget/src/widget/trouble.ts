import { h, icon } from './dom.js';

/** What is wrong, in place of what cannot be shown. */
export function troubleView(text: string, again: string, retry: () => void): HTMLElement {
  return h(
    'div',
    { class: 'trouble' },
    h('p', { role: 'alert' }, icon('alert'), text),
    h('button', { type: 'button', class: 'primary', onclick: retry }, icon('retry'), again),
  );
}
