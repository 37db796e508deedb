import { Captions } from './captions.js';
import { h, icon } from '../core/dom.js';
import { Stage } from '../media/stage.js';
import { fill } from '../strings/index.js';
import type { TalkOptions } from './talk-options.js';
import { volumeView } from '../media/volume.js';

/** The avatar, its state in words, and the navigation away from it. */
export class Face {
  readonly element: HTMLElement;
  readonly stage: Stage;
  speaking = false;
  /** The person who answers, if it is not the avatar. */
  speaker?: string;
  private readonly status = h('p', { class: 'caption' });
  private readonly captions: Captions;
  private readonly volume?: ReturnType<typeof volumeView>;

  /** @param changed called when the avatar starts or stops speaking */
  constructor(
    private readonly options: TalkOptions,
    changed: () => void,
  ) {
    const { strings, choice, client, back, renew } = options;
    this.captions = new Captions(strings);
    this.stage = new Stage(
      choice.avatar,
      client,
      (speaking) => {
        this.speaking = speaking;
        if (!speaking) this.captions.show('');
        changed();
      },
      (text) => this.captions.show(text),
    );
    if (choice.chat_type !== 'text') this.volume = volumeView(strings);
    this.volume?.element.append(this.captions.button);
    this.element = h(
      'div',
      { class: 'face' },
      h('button', { type: 'button', class: 'back', 'aria-label': strings.back, onclick: back }, icon('back')),
      h(
        'button',
        { type: 'button', class: 'renew', 'aria-label': strings.newConversation, onclick: renew },
        icon('new'),
      ),
      h('div', { class: 'screen' }, this.stage.element, this.volume && this.captions.element),
      h('div', { class: 'label' }, h('h2', {}, choice.avatar.name), this.volume?.element, this.status),
    );
  }

  close(): void {
    this.volume?.leave();
  }

  /** @param isBusy whether an answer is pending or in progress */
  show(isBusy: boolean): void {
    const { strings, choice } = this.options;
    const text = this.speaking ? strings.speaking : isBusy ? strings.thinking : '';
    this.status.textContent = fill(text, { name: this.speaker ?? choice.avatar.name });
  }
}
