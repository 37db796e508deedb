import { h, icon } from './dom.js';
import { problemText, reportOf } from './problems.js';
import type { TalkOptions } from './talk-options.js';

/** What went wrong with a conversation, in words, until something else is tried. */
export class Alert {
  readonly element = h('div', { class: 'alert', role: 'alert', hidden: true });

  constructor(private readonly options: TalkOptions) {}

  show(error: unknown): void {
    const { strings, choice, emit } = this.options;
    emit('error', reportOf(error));
    this.element.hidden = false;
    this.element.replaceChildren(icon('alert'), problemText(error, strings, choice.avatar.name));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
