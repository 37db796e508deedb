import type { Readable } from 'node:stream';
import type { Owner } from '../auth/index.js';
import { failure } from '../platform/errors/index.js';
import { afterLimit, withTimeout } from 'avatar-chat-runtime';
import { type ByteRange, type FileDescription, FileStore, type StoredFile } from './file-store.js';

/** How long a file store may take for a piece, or for what it is asked, in milliseconds. */
const LIMIT_MS = 30_000;
/** How long it may take to remove all files of an owner, in milliseconds. */
const REMOVE_ALL_LIMIT_MS = 600_000;

const late = () => failure('service_unavailable');

/**
 * A module's file store, with a limit on every wait for it: one that hangs must hold up no turn and no download. What
 * takes longer fails with `service_unavailable`.
 */
export class BoundedFileStore extends FileStore {
  override readonly kind: string;

  constructor(
    private readonly store: FileStore,
    private readonly limitMs = LIMIT_MS,
    private readonly removeAllLimitMs = REMOVE_ALL_LIMIT_MS,
  ) {
    super();
    this.kind = store.kind;
  }

  /** The time that the content takes to arrive does not count. */
  put(owner: Owner, content: AsyncIterable<Uint8Array>, description: FileDescription): Promise<StoredFile> {
    return new Promise((resolve, reject) => {
      let stop = () => {};
      const begin = () => {
        stop();
        stop = afterLimit(this.limitMs, () => reject(late()));
      };
      const watched = async function* () {
        stop();
        for await (const piece of content) {
          begin();
          yield piece;
          stop();
        }
        begin();
      };
      begin();
      this.store
        .put(owner, watched(), description)
        .then(resolve, reject)
        .finally(() => stop());
    });
  }

  find(file_id: string): Promise<StoredFile | undefined> {
    return withTimeout(this.store.find(file_id), this.limitMs, late);
  }

  open(file_id: string, range?: ByteRange): Promise<Readable | undefined> {
    let isLate = false;
    const opened = this.store.open(file_id, range).then((stream) => {
      if (isLate) stream?.destroy();
      return stream;
    });
    return withTimeout(opened, this.limitMs, () => {
      isLate = true;
      return late();
    });
  }

  details(file_id: string): Promise<unknown> {
    return withTimeout(this.store.details(file_id), this.limitMs, late);
  }

  remove(file_ids: readonly string[]): Promise<void> {
    return withTimeout(this.store.remove(file_ids), this.limitMs, late);
  }

  removeAll(owner: Owner): Promise<number> {
    return withTimeout(this.store.removeAll(owner), this.removeAllLimitMs, late);
  }
}
