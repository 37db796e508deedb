import type { Composer } from './composer.js';
import type { Store } from './store.js';

const PAUSE_MS = 300;

/** What is being written, which the browser keeps. */
export class Draft {
  private timer?: ReturnType<typeof setTimeout>;
  /** What has been read or kept here; another tab may have kept something else since. */
  private known: string;

  constructor(
    private readonly store: Store,
    private readonly composer: Composer,
  ) {
    composer.draft = this.known = store.draft;
  }

  /** It is kept as soon as the user pauses. */
  changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), PAUSE_MS);
  }

  /** At once, if it has changed here. */
  keep(): void {
    clearTimeout(this.timer);
    const { draft } = this.composer;
    if (draft !== this.known) this.store.draft = this.known = draft;
  }
}
