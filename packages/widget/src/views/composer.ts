import { h, icon, isComposing, releaseFocus } from '../core/dom.js';
import { LengthLimit } from './length-limit.js';
import { fill, type Strings } from '../strings/index.js';

/** The input for messages. The text stays until the conversation has accepted it. */
export class Composer {
  readonly element: HTMLFormElement;
  private readonly input: HTMLTextAreaElement;
  private readonly stopButton: HTMLButtonElement;
  private readonly limit: LengthLimit;

  /**
   * @param send accepts the text
   * @param typing called for each key, so that the avatar can stop speaking
   * @param stop stops the avatar
   */
  constructor(
    private readonly strings: Strings,
    private readonly name: string,
    private readonly send: (text: string) => void,
    typing: () => void,
    stop: () => void,
  ) {
    this.input = h('textarea', {
      rows: 1,
      placeholder: fill(strings.write, { name }),
      'aria-label': strings.message,
      enterKeyHint: 'send',
      oninput: () => {
        this.grow();
        typing();
      },
      onkeydown: (event: KeyboardEvent) => {
        if (event.key === 'Enter' && !event.shiftKey && !isComposing(event)) {
          event.preventDefault();
          this.submit();
        }
      },
    });
    this.limit = new LengthLimit(strings, this.input);
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
      this.limit.element,
      this.input,
      this.stopButton,
      h('button', { class: 'send', 'aria-label': strings.send }, icon('send')),
    );
  }

  /** The person who answers; undefined: the avatar. */
  set addressee(name: string | undefined) {
    this.input.placeholder = fill(this.strings.write, { name: name ?? this.name });
  }

  set busy(busy: boolean) {
    if (!busy) releaseFocus(this.stopButton);
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
    if (!text || this.limit.isExceeded) return;
    this.draft = '';
    this.send(text);
  }

  /** Fits the height to the text, within the limits of the style sheet. */
  private grow(): void {
    // When empty, use the direction of the placeholder.
    this.input.dir = this.input.value ? 'auto' : '';
    this.input.rows = Math.min(6, this.input.value.split('\n').length);
    this.limit.check();
  }
}
