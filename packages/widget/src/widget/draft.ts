import type { Composer } from './composer.js';
import type { Store } from './store.js';

const PAUSE_MS = 300;

/** What is being written, which the browser keeps. */
export class Draft {
  private timer?: ReturnType<typeof setTimeout>;

  constructor(
    private readonly store: Store,
    private readonly composer: Composer,
  ) {
    composer.draft = store.draft;
  }

  /** It is kept as soon as the user pauses. */
  changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), PAUSE_MS);
  }

  /** At once. */
  keep(): void {
    clearTimeout(this.timer);
    const { draft } = this.composer;
    if (draft !== this.store.draft) this.store.draft = draft;
  }
}
