import type { Composer } from './composer.js';
import type { UserStorage } from '../core/user-storage.js';

const PAUSE_MS = 300;

/** The unsent text, which the browser keeps. */
export class Draft {
  private timer?: ReturnType<typeof setTimeout>;
  /** The value last read or saved here. Another tab may have saved a different one since. */
  private known: string;

  constructor(
    private readonly store: UserStorage,
    private readonly composer: Composer,
  ) {
    composer.draft = this.known = store.draft;
  }

  /** Saves it when the user pauses. */
  changed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.saveDraft(), PAUSE_MS);
  }

  /** Saves it immediately, if it has changed here. */
  saveDraft(): void {
    clearTimeout(this.timer);
    const { draft } = this.composer;
    if (draft !== this.known) this.store.draft = this.known = draft;
  }
}
