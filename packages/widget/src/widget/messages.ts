import { type Conversation, type Entry } from './conversation.js';
import { h, icon } from './dom.js';
import { problemText } from './problems.js';
import { fill, type Strings } from './strings/index.js';

/** So close to the end, in pixels, the list follows what comes. */
const NEAR_END = 80;
/** After so many seconds of waiting the user is told how many are left. */
const PATIENCE = 3;

/** What has been said, newest below; earlier messages come as one scrolls up. */
export class Messages {
  readonly element: HTMLElement;
  private readonly list = h('ol');
  private readonly top = h('p', { class: 'top' });
  private readonly bubbles = new Map<Entry, { item: HTMLLIElement; timer?: ReturnType<typeof setInterval> }>();
  private readonly watch: IntersectionObserver;
  private loading = false;

  constructor(
    private readonly conversation: Conversation,
    private readonly strings: Strings,
    private readonly timeoutSeconds: number,
    private readonly play: (entry: Entry) => void,
  ) {
    this.element = h(
      'div',
      { class: 'messages', tabIndex: 0, role: 'region', 'aria-label': strings.messages },
      this.top,
      this.list,
    );
    this.watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && void this.loadOlder(), {
      root: this.element,
      rootMargin: '120px',
    });
    this.watch.observe(this.top);
  }

  /** Adds an entry at the end, or shows what has changed of it. */
  change(entry: Entry): void {
    const follow = this.nearEnd || entry.mine;
    const known = this.bubbles.get(entry);
    const item = known?.item ?? h('li');
    this.fill(item, entry);
    if (!known) this.list.append(item);
    clearInterval(known?.timer);
    const timer = !entry.mine && entry.state === 'waiting' ? this.countDown(item) : undefined;
    this.bubbles.set(entry, { item, timer });
    if (follow) this.toEnd();
  }

  remove(entry: Entry): void {
    const known = this.bubbles.get(entry);
    clearInterval(known?.timer);
    known?.item.remove();
    this.bubbles.delete(entry);
  }

  /** A text that is no message of the history, such as the greeting. */
  note(text: string, name: string): void {
    this.change({ mine: false, text, name, state: 'done' });
  }

  toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }

  close(): void {
    this.watch.disconnect();
    for (const { timer } of this.bubbles.values()) clearInterval(timer);
  }

  private get nearEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < NEAR_END;
  }

  private async loadOlder(): Promise<void> {
    if (this.loading || !this.conversation.more) return;
    this.loading = true;
    this.top.replaceChildren(this.strings.older);
    try {
      const entries = await this.conversation.older();
      const items = entries.map((entry) => {
        const item = h('li', { class: 'past' });
        this.fill(item, entry);
        this.bubbles.set(entry, { item });
        return item;
      });
      const fromEnd = this.element.scrollHeight - this.element.scrollTop;
      this.list.prepend(...items);
      this.element.scrollTop = this.element.scrollHeight - fromEnd;
      this.top.replaceChildren(this.conversation.more ? '' : this.strings.beginning);
    } catch (error) {
      const again = h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => void this.loadOlder() },
        icon('retry'),
        this.strings.retry,
      );
      this.top.replaceChildren(problemText(error, this.strings, ''), ' ', again);
      return;
    } finally {
      this.loading = false;
    }
    // Where the list is still shorter than its room, nothing will scroll.
    this.watch.unobserve(this.top);
    this.watch.observe(this.top);
  }

  private fill(item: HTMLLIElement, entry: Entry): void {
    const { strings } = this;
    const { mine, state, recording, error, retry } = entry;
    const name = mine ? strings.you : (entry.name ?? '');
    item.className = `${item.classList.contains('past') ? 'past ' : ''}${mine ? 'mine' : 'theirs'} ${state}`;
    const waiting = !mine && state === 'waiting';
    item.replaceChildren(
      h('span', { class: 'name' }, name),
      waiting
        ? h('p', { class: 'dots', 'aria-label': fill(strings.thinking, { name }), role: 'img' }, h('i'), h('i'), h('i'))
        : h('p', { class: 'text', dir: 'auto' }, entry.text || strings.recording),
      ...(recording && !waiting
        ? [
            h(
              'button',
              { type: 'button', class: 'play', 'aria-label': strings.play, onclick: () => this.play(entry) },
              icon('play'),
            ),
          ]
        : []),
      ...(mine && state === 'waiting' ? [h('small', {}, strings.waiting)] : []),
      ...(state === 'interrupted' ? [h('small', {}, strings.interrupted)] : []),
      ...(state === 'failed'
        ? [
            h(
              'div',
              { class: 'problem' },
              icon('alert'),
              h('span', {}, `${strings.notSent} ${problemText(error, strings, this.conversation.avatar.name)}`),
              h('button', { type: 'button', class: 'quiet', onclick: retry }, icon('retry'), strings.retry),
            ),
          ]
        : []),
    );
  }

  private countDown(item: HTMLLIElement): ReturnType<typeof setInterval> {
    const begun = Date.now();
    const label = h('small', { class: 'left', role: 'timer' });
    item.append(label);
    return setInterval(() => {
      const seconds = Math.round((Date.now() - begun) / 1000);
      const n = Math.max(0, this.timeoutSeconds - seconds);
      if (seconds >= PATIENCE) label.textContent = fill(this.strings.left, { n });
    }, 500);
  }
}
