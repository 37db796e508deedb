import { type Conversation, type Entry } from '../history/conversation.js';
import { bubble, type BubbleOptions } from './bubble.js';
import { h, icon, releaseFocus } from '../core/dom.js';
import { errorText } from '../core/error-text.js';
import { fill, type Strings } from '../strings/index.js';

/** The list keeps scrolling to new content if its end is at most this close, in pixels. */
const NEAR_END_PX = 80;
/** Of entries that are stored later, if at all. */
const UNSTORED: readonly Entry['state'][] = ['waiting', 'typing', 'speaking', 'failed'];
/** After this many seconds of waiting, the user sees how many are left. */
const COUNTDOWN_DELAY_SECONDS = 3;

/** The messages, newest at the bottom; earlier ones load on scrolling up. */
export class Messages {
  readonly element: HTMLElement;
  private readonly list = h('ol');
  private readonly top = h('p', { class: 'top' });
  private readonly bubbles = new Map<Entry, { item: HTMLLIElement; timer?: ReturnType<typeof setInterval> }>();
  private readonly watch: IntersectionObserver;
  private readonly resized = new ResizeObserver(() => this.follows && this.toEnd());
  /** Whether its end was in view before its size changed, as when a keyboard opens. */
  private follows = true;
  private readonly strings: Strings;
  /** Until the page that is being loaded is shown, or has failed. */
  loading?: Promise<void>;
  /** Shown above the history once all of it is loaded. */
  greeting?: Entry;

  constructor(
    private readonly conversation: Conversation,
    private readonly options: BubbleOptions,
    private readonly timeoutSeconds: number,
  ) {
    this.strings = options.strings;
    // Answers are announced when they are complete: see `Talk`.
    const live = { role: 'log', 'aria-live': 'off', 'aria-label': this.strings.messages };
    const onscroll = () => (this.follows = this.nearEnd);
    this.element = h('div', { class: 'messages', tabIndex: 0, ...live, onscroll }, this.top, this.list);
    this.resized.observe(this.element);
    this.watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && this.loadOlder(), {
      root: this.element,
      rootMargin: '120px',
    });
    this.watch.observe(this.top);
  }

  /** Appends an entry, or updates it. */
  change(entry: Entry): void {
    const follow = this.nearEnd || entry.mine;
    const known = this.bubbles.get(entry);
    const item = known?.item ?? h('li');
    this.fill(item, entry);
    if (!known) this.list.insertBefore(item, this.placeOf(entry));
    clearInterval(known?.timer);
    const timer = !entry.mine && entry.state === 'waiting' ? this.countDown(item) : undefined;
    this.bubbles.set(entry, { item, timer });
    if (follow) this.toEnd();
  }

  remove(entry: Entry): void {
    const known = this.bubbles.get(entry);
    clearInterval(known?.timer);
    if (known) releaseFocus(known.item);
    known?.item.remove();
    this.bubbles.delete(entry);
  }

  /** The history is read again. */
  startAgain(): void {
    if (this.greeting) this.remove(this.greeting);
    this.loadOlder();
  }

  /** Changes the greeting. */
  greet(text: string): void {
    const { greeting } = this;
    if (!greeting) return;
    greeting.text = text;
    const item = this.bubbles.get(greeting)?.item;
    if (item) this.fill(item, greeting);
  }

  toEnd(): void {
    this.element.scrollTop = this.element.scrollHeight;
  }

  close(): void {
    this.watch.disconnect();
    this.resized.disconnect();
    for (const { timer } of this.bubbles.values()) clearInterval(timer);
  }

  private get nearEnd(): boolean {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  }

  /** What follows a new entry: later messages, and those that are not stored yet. */
  private placeOf({ id, date }: Entry): Element | null {
    if (id === undefined) return null;
    const isLater = (other: Entry) => (other.id ? other.date! > date! : UNSTORED.includes(other.state));
    const earlier = [...this.bubbles].flatMap(([other, { item }]) => (isLater(other) ? [] : item));
    const last = [...this.list.children].findLast((item) => earlier.includes(item as HTMLLIElement));
    return last ? last.nextElementSibling : this.list.firstElementChild;
  }

  private loadOlder(): void {
    if (this.loading || !this.conversation.more) return;
    this.loading = this.showOlder().finally(() => (this.loading = undefined));
  }

  private async showOlder(): Promise<void> {
    this.top.replaceChildren(this.strings.older);
    try {
      const entries = await this.conversation.older();
      const items = entries.map((entry) => {
        const item = h('li', { class: 'past' });
        this.fill(item, entry);
        this.bubbles.set(entry, { item });
        return item;
      });
      if (!this.conversation.more) items.unshift(...this.greetingAbove(entries[0]));
      const fromEnd = this.element.scrollHeight - this.element.scrollTop;
      this.list.prepend(...items);
      this.element.scrollTop = this.element.scrollHeight - fromEnd;
      void this.showRatings(entries);
      this.top.replaceChildren(this.conversation.more ? '' : this.strings.beginning);
    } catch (error) {
      const again = h(
        'button',
        { type: 'button', class: 'quiet', onclick: () => this.loadOlder() },
        icon('retry'),
        this.strings.retry,
      );
      this.top.replaceChildren(errorText(error, this.strings, ''), ' ', again);
      return;
    }
    // If the list is shorter than its container, no scroll event will fire.
    this.watch.unobserve(this.top);
    this.watch.observe(this.top);
  }

  /** @param oldest the oldest message, which may be the greeting itself */
  private greetingAbove(oldest: Entry | undefined): HTMLLIElement[] {
    const { greeting } = this;
    if (!greeting || (oldest && !oldest.mine && oldest.text === greeting.text)) return [];
    const item = h('li');
    this.fill(item, greeting);
    this.bubbles.set(greeting, { item });
    return [item];
  }

  private async showRatings(entries: readonly Entry[]): Promise<void> {
    const { ratings } = this.options;
    await ratings.load(entries.flatMap(({ mine, id }) => (mine || id === undefined ? [] : [id])));
    for (const entry of entries) {
      const item = this.bubbles.get(entry)?.item;
      if (item && entry.id !== undefined && ratings.of(entry.id)) this.fill(item, entry);
    }
  }

  private fill(item: HTMLLIElement, entry: Entry): void {
    const past = item.classList.contains('past') ? 'past ' : '';
    item.className = `${past}${entry.mine ? 'mine' : 'theirs'} ${entry.state}`;
    releaseFocus(item);
    item.replaceChildren(...bubble(entry, this.options));
  }

  private countDown(item: HTMLLIElement): ReturnType<typeof setInterval> {
    const begun = Date.now();
    const label = h('small', { class: 'left', role: 'timer' });
    item.append(label);
    return setInterval(() => {
      const seconds = Math.round((Date.now() - begun) / 1000);
      const n = Math.max(0, this.timeoutSeconds - seconds);
      if (seconds >= COUNTDOWN_DELAY_SECONDS) label.textContent = fill(this.strings.left, { n });
    }, 500);
  }
}
