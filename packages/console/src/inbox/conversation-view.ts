import { isComposing } from '../../../widget/src/core/dom.js';
import { LengthLimit } from '../../../widget/src/views/length-limit.js';
import { ApiError, randomKey } from '../core/api.js';
import type { FeedEvent } from '../core/feed.js';
import { agoText } from '../core/format.js';
import type { Message } from '../core/types.js';
import { Alert, button, confirmed, field, form, h } from '../core/ui.js';
import type { Workplace } from '../workplace.js';
import { bubble } from './bubble.js';
import { loadHistory } from './history.js';
import { chooseReply } from './replies.js';
import { t } from '../core/translate.js';

const TYPING_MS = 4000;
/** A reader who is this close to the end, in pixels, stays there. */
const NEAR_END = 80;

/** One user's conversation: its messages, whose it is, and what an operator may do with it. */
export class ConversationView {
  readonly element: HTMLElement;
  private readonly alert = new Alert();
  private readonly leaving = new AbortController();
  private readonly log = h('div', { class: 'log', role: 'log', 'aria-label': t('Messages'), tabIndex: 0 });
  private readonly state = h('p', { class: 'state', role: 'status' });
  private readonly actions = h('div', { class: 'actions' });
  private readonly heading: HTMLElement;
  private readonly text = h('textarea', { rows: 3, dir: 'auto' });
  private readonly limit = new LengthLimit({ tooLong: t('Too long by {n} characters.') }, this.text);
  private readonly composer: HTMLElement;
  private readonly messages = new Map<string, Message>();
  private typedAt = 0;
  /** Of the answer that is being sent, so that a repetition is stored once. */
  private pending?: { text: string; key: string };

  constructor(
    private readonly work: Workplace,
    private readonly user_id: string,
    close: () => void,
  ) {
    const back = h('button', { type: 'button', class: 'back', onclick: close }, t('Back to the list'));
    this.heading = h('h2', { tabIndex: -1 }, user_id);
    const insert = () => this.insertReply();
    this.text.addEventListener('input', (event) => {
      this.sendTyping();
      if ((event as InputEvent).data === '/' && this.text.value === '/') void this.alert.run(insert);
    });
    this.text.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      this.composer.querySelector('form')!.requestSubmit();
    });
    const send = form(
      () => this.alert.run(() => this.answer()),
      { class: 'composer' },
      field(
        t('Answer'),
        this.text,
        t('Enter sends, Shift and Enter begin a new line, / at the beginning shows prepared replies.'),
      ),
      this.limit.element,
      h(
        'div',
        { class: 'actions' },
        button(t('Replies'), this.alert, insert),
        h('button', { class: 'primary' }, t('Send')),
      ),
    );
    this.composer = h('div', {}, send);
    this.element = h(
      'section',
      { class: 'conversation', 'aria-label': t('Conversation with {0}', user_id) },
      back,
      h('header', {}, this.heading, this.state, this.actions),
      this.alert.element,
      this.log,
      this.composer,
    );
    const stop = work.conversations.onChange(() => this.showState());
    this.leaving.signal.addEventListener('abort', stop);
    this.showState();
    void this.alert.run(() => this.load());
  }

  focus(): void {
    this.heading.focus();
  }

  /** Whether there is an answer that is not sent. */
  get isChanged(): boolean {
    return this.text.value.trim() !== '';
  }

  handle(event: FeedEvent): void {
    if (event.type === 'message' && event.message.user_id === this.user_id) this.add(event.message);
    else if (event.type === 'reset') void this.alert.run(() => this.load());
  }

  dispose(): void {
    this.leaving.abort();
  }

  private async load(): Promise<void> {
    const { api, project_id } = this.work;
    const before = new Set(this.messages.keys());
    const { messages, isCut } = await loadHistory(api, project_id, this.user_id, this.leaving.signal);
    const arrived = [...this.messages.values()].filter(({ _id }) => !before.has(_id));
    const known = new Map([...messages, ...arrived].map((message) => [message._id, message]));
    const isShown = [...known.keys()].join() === [...this.messages.keys()].join();
    if (isShown && known.size > 0) return;
    this.messages.clear();
    this.log.replaceChildren();
    for (const message of known.values()) this.append(message);
    if (isCut) this.log.prepend(h('p', { class: 'note' }, t('Earlier messages are in the export.')));
    if (known.size === 0) this.log.append(h('p', { class: 'note' }, t('There are no messages.')));
    this.log.scrollTop = this.log.scrollHeight;
  }

  private add(message: Message): void {
    const isAtEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR_END;
    this.append(message);
    if (isAtEnd) this.log.scrollTop = this.log.scrollHeight;
  }

  private append(message: Message): void {
    if (this.messages.has(message._id)) return;
    if (this.messages.size === 0) this.log.querySelector('.note')?.remove();
    this.messages.set(message._id, message);
    this.log.append(bubble(message, this.work.conversations.find(this.user_id).name));
  }

  private showState(): void {
    const { state, name } = this.work.conversations.find(this.user_id);
    const isMine = state === 'person' && name === this.work.name;
    const text = {
      avatar: t('The avatar answers.'),
      waiting: t('Waits for a person.'),
      person: isMine ? t('You answer.') : t('{0} answers.', name ?? t('A person')),
    }[state];
    if (this.state.textContent !== text) this.state.textContent = text;
    // Only if it changes: a focused button must not be replaced.
    if (this.actions.dataset.state === `${state} ${isMine}`) return;
    this.actions.dataset.state = `${state} ${isMine}`;
    const hadFocus = this.actions.contains(document.activeElement) || this.composer.contains(document.activeElement);
    const take = button(state === 'waiting' ? t('Take') : t('Take over'), this.alert, () => this.takeOver(), {
      class: 'primary',
    });
    const handBack = button(t('Hand back'), this.alert, () => this.setState({ state: 'avatar' }));
    this.actions.replaceChildren(...(isMine ? [] : [take]), ...(state === 'avatar' ? [] : [handBack]));
    this.composer.hidden = !isMine;
    if (hadFocus) (isMine ? this.text : this.heading).focus();
  }

  private async takeOver(): Promise<void> {
    const { name } = this.work;
    try {
      await this.setState({ state: 'person', name });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'conversation_taken')) throw error;
      await this.work.conversations.load();
      const other = this.work.conversations.find(this.user_id).name ?? t('Somebody else');
      const question = t('{0} has this conversation. The user will see that you answer from now on.', other);
      if (!(await confirmed(t('Take it over?'), question, t('Take over')))) return;
      await this.setState({ state: 'person', name, force: true });
    }
    this.text.focus();
  }

  private async setState(body: object): Promise<void> {
    const { api, project_id, conversations } = this.work;
    await api.json(`conversations/${this.user_id}`, { method: 'PUT', query: { project_id }, body });
    await conversations.load();
  }

  private async answer(): Promise<void> {
    const text = this.text.value.trim();
    const { api, project_id, name } = this.work;
    if (!text || this.limit.isExceeded) return;
    if (this.pending?.text !== text) this.pending = { text, key: randomKey() };
    const { avatar_id = [...this.messages.values()].at(-1)?.avatar_id } = this.work.conversations.find(this.user_id);
    const stored = await api.json<Message>('messages', {
      method: 'POST',
      headers: { 'Idempotency-Key': this.pending.key },
      body: { project_id, user_id: this.user_id, avatar_id, answer: text, name },
    });
    this.pending = undefined;
    // What was typed meanwhile is the next answer.
    const typed = this.text.value.trimStart();
    if (typed.startsWith(text)) this.text.value = typed.slice(text.length).trimStart();
    this.limit.check();
    this.typedAt = 0;
    this.add(stored);
  }

  /** It can be changed before it is sent. */
  private insertReply(): Promise<void> {
    return chooseReply(this.work, (reply) => {
      this.text.focus();
      if (this.text.value === '/') this.text.select();
      this.text.setRangeText(reply, this.text.selectionStart, this.text.selectionEnd, 'end');
      this.text.dispatchEvent(new Event('input'));
    });
  }

  private sendTyping(): void {
    const now = Date.now();
    if (now - this.typedAt < TYPING_MS || this.text.value === '') return;
    this.typedAt = now;
    const { api, project_id } = this.work;
    // It is a courtesy: a failure is no news to the operator.
    void api
      .json(`conversations/${this.user_id}/typing`, { method: 'POST', query: { project_id } })
      .catch(() => undefined);
  }
}

/** What a list says of a conversation; of who waits, what they said last. */
export function summaryOf({ last, since, name }: { last?: Message; since: number; name?: string }): string {
  const isTheirs = !name || last?.direction === 'outgoing';
  const said = (isTheirs && last?.request) || last?.answer;
  return [name && t('{0} answers', name), agoText(since), said].filter(Boolean).join(' · ');
}
