import { h } from '../core/dom.js';
import { LengthLimit } from '../views/length-limit.js';
import type { Strings } from '../strings/index.js';

/** A form that asks for the words of a recording without a transcript. */
export function transcriptForm(strings: Strings, send: (words: string) => void, discard: () => void): HTMLFormElement {
  const input = h('input', { type: 'text', required: true, dir: 'auto', 'aria-label': strings.words });
  const limit = new LengthLimit(strings, input);
  queueMicrotask(() => input.focus());
  return h(
    'form',
    {
      class: 'words',
      onsubmit: (event: Event) => {
        event.preventDefault();
        if (input.value.trim() && !limit.isExceeded) send(input.value.trim());
      },
    },
    h('strong', {}, strings.words),
    h('p', {}, strings.wordsWhy),
    limit.element,
    h(
      'div',
      { class: 'row' },
      input,
      h('button', { class: 'primary' }, strings.send),
      h('button', { type: 'button', class: 'quiet', onclick: discard }, strings.discard),
    ),
  );
}
