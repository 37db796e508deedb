import { h, icon } from '../core/dom.js';
import { storeValue, storedValue } from '../core/storage.js';
import { plainText } from '../text/markdown.js';
import type { Strings } from '../strings/index.js';

/** What the avatar is saying, over its picture. Off by default; the setting is remembered. */
export class Captions {
  readonly button: HTMLButtonElement;
  /** Hidden from screen readers: the answer is announced. It may scroll, which takes it into the Tab order. */
  readonly element = h('p', { class: 'captions', dir: 'auto', 'aria-hidden': 'true', tabIndex: -1, hidden: true });
  private text = '';
  private isOn = storedValue('captions') === 'true';

  constructor({ captions }: Strings) {
    this.button = h(
      'button',
      { type: 'button', class: 'act', 'aria-label': captions, title: captions, onclick: () => this.toggle() },
      icon('captions'),
    );
    this.update();
  }

  /** @param said what is being said; if empty, nothing is shown */
  show(said: string): void {
    this.text = plainText(said);
    this.update();
  }

  private toggle(): void {
    this.isOn = !this.isOn;
    storeValue('captions', String(this.isOn));
    this.update();
  }

  private update(): void {
    this.button.setAttribute('aria-pressed', String(this.isOn));
    this.element.textContent = this.text;
    this.element.hidden = !this.isOn || !this.text;
    this.element.scrollTop = 0;
  }
}
