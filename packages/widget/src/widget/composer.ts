import { h, icon } from './dom.js';
import { fill, type Strings } from './strings/index.js';

const LONGEST = 8000;

/** Where a user writes. What is written stays until it has been taken over by the conversation. */
export class Composer {
  readonly element: HTMLFormElement;
  private readonly input: HTMLTextAreaElement;
  private readonly stopButton: HTMLButtonElement;

  /**
   * @param send takes what was written
   * @param typing told of each key, so that the avatar can be silent
   * @param stop stops the avatar
   */
  constructor(
    strings: Strings,
    name: string,
    private readonly send: (text: string) => void,
    typing: () => void,
    stop: () => void,
  ) {
    this.input = h('textarea', {
      rows: 1,
      maxLength: LONGEST,
      placeholder: fill(strings.write, { name }),
      'aria-label': strings.message,
      enterKeyHint: 'send',
      oninput: () => {
        this.grow();
        typing();
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          this.submit();
        }
      },
    });
    this.stopButton = h(
      'button',
      { type: 'button', class: 'stop', hidden: true, 'aria-label': strings.stop, onclick: stop },
      icon('stop'),
    );
    this.element = h(
      'form',
      {
        class: 'composer',
        onsubmit: (event: Event) => {
          event.preventDefault();
          this.submit();
        },
      },
      this.input,
      this.stopButton,
      h('button', { class: 'send', 'aria-label': strings.send }, icon('send')),
    );
  }

  set busy(busy: boolean) {
    this.stopButton.hidden = !busy;
  }

  get draft(): string {
    return this.input.value;
  }
  set draft(text: string) {
    this.input.value = text;
    this.grow();
  }

  focus(): void {
    this.input.focus();
  }

  private submit(): void {
    const text = this.input.value.trim();
    if (!text) return;
    this.draft = '';
    this.send(text);
  }

  /** As high as its text, within what the style sheet allows. */
  private grow(): void {
    // Empty, it has the direction of its placeholder.
    this.input.dir = this.input.value ? 'auto' : '';
    this.input.rows = Math.min(6, this.input.value.split('\n').length);
  }
}
