import { h, icon } from '../core/dom.js';
import { errorText, errorDetail } from '../core/error-text.js';
import type { TalkOptions } from './talk-options.js';

/** An error message for the conversation, shown until the user tries something else. */
export class Alert {
  readonly element = h('div', { class: 'alert', role: 'alert', hidden: true });

  constructor(private readonly options: TalkOptions) {}

  show(error: unknown): void {
    const { strings, choice, emit } = this.options;
    emit('error', errorDetail(error));
    this.element.hidden = false;
    this.element.replaceChildren(icon('alert'), errorText(error, strings, choice.avatar.name));
  }

  hide(): void {
    this.element.hidden = true;
  }
}
