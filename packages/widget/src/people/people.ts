import { AvatarChatError, type Conversation } from 'avatar-chat-client';
import { h, icon } from '../core/dom.js';
import type { TalkOptions } from '../views/talk-options.js';
import styles from './people.css';
import { type PeopleStrings, peopleStrings } from './strings.js';

const sheet = new CSSStyleSheet();
sheet.replaceSync(styles);

export interface PeopleListener {
  /** @param name of the person who answers; undefined: the avatar */
  changed(name: string | undefined): void;
  failed(error: unknown): void;
}

export type PeopleOptions = TalkOptions & PeopleListener;

/** The response of `GET /chat/handover`. */
export interface HandoverOffer {
  enabled: boolean;
  /** After how many minutes the avatar answers again if nobody has come. */
  waitingMinutes?: number;
}

/** Says who answers, and offers to ask for a person, or to go back to the avatar. */
export class People {
  private readonly words: PeopleStrings;
  private readonly status = h('p', { role: 'status' });
  private readonly button = h('button', { type: 'button', class: 'quiet', onclick: () => void this.press() });
  private readonly notifyButton = h('button', { type: 'button', class: 'quiet', onclick: () => void this.allow() });
  private state: Conversation['state'] = 'avatar';
  private isChanging = false;

  constructor(
    private readonly element: HTMLElement,
    private readonly offer: HandoverOffer,
    private readonly options: PeopleOptions,
  ) {
    this.words = peopleStrings(options.strings.tag);
    const { adoptedStyleSheets } = element.getRootNode() as ShadowRoot;
    if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
    this.notifyButton.append(this.words.notify);
    element.setAttribute('aria-label', this.words.group);
    element.replaceChildren(this.status, h('div', {}, this.notifyButton, this.button));
    this.render();
  }

  /** Asks the service who answers. */
  async look(): Promise<void> {
    this.show(await this.options.client.conversation({ signal: this.options.signal() }));
  }

  show({ state, name }: Pick<Conversation, 'state' | 'name'>): void {
    const { words, options } = this;
    const avatar = options.choice.avatar.name;
    const n = String(Math.ceil(this.offer.waitingMinutes ?? 0));
    const before = this.state;
    this.state = state;
    if (state === 'waiting') this.say(words.waiting, avatar, n);
    else if (state === 'person') this.say(words.person, name);
    else if (before !== 'avatar') this.say(words.returned, avatar);
    this.element.className = `people ${state}`;
    this.render();
    options.changed(state === 'person' ? name : undefined);
  }

  private say(text: string, name = '', n = ''): void {
    this.status.textContent = text.replaceAll('{name}', () => name).replace('{n}', n);
  }

  private render(): void {
    const isAvatar = this.state === 'avatar';
    const back = this.words.back.replace('{name}', () => this.options.choice.avatar.name);
    this.button.replaceChildren(icon(isAvatar ? 'person' : 'back'), isAvatar ? this.words.ask : back);
    this.notifyButton.hidden = isAvatar || typeof Notification !== 'function' || Notification.permission !== 'default';
  }

  private async press(): Promise<void> {
    if (this.isChanging) return;
    const { client, failed, signal } = this.options;
    this.isChanging = true;
    this.button.setAttribute('aria-busy', 'true');
    try {
      const wanted = this.state === 'avatar' ? 'waiting' : 'avatar';
      this.show(await client.setConversation(wanted, { signal: signal() }));
    } catch (error) {
      if (error instanceof AvatarChatError && error.code === 'handover_disabled') this.say(this.words.nobody);
      else if (!signal().aborted) failed(error);
    } finally {
      this.isChanging = false;
      this.button.removeAttribute('aria-busy');
    }
  }

  /** Asks the visitor, who wants it, to allow notifications. */
  private async allow(): Promise<void> {
    await Notification.requestPermission();
    if (Notification.permission !== 'default') this.button.focus();
    this.render();
  }
}
