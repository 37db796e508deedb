import { hash } from 'node:crypto';
import { contentOf, type ImportedMessage } from '../../messages/index.js';

/** A Map holds at most 2^24 entries; this many maps hold more than fits into memory. */
const SHARDS = 256;
const KEY_BYTES = 12;

/** Remembers the identifiers of a file with a hash of their content, in under 100 bytes each. */
export class SeenMessages {
  private readonly shards = Array.from({ length: SHARDS }, () => new Map<string, number>());

  /** Whether an earlier message had the same identifier and different content. If not, this one is remembered. */
  clashes(message: ImportedMessage): boolean {
    const key = hash('sha256', message._id, 'buffer');
    const content = hash('sha256', contentOf(message), 'buffer').readInt32LE();
    const shard = this.shards[key[0]!]!;
    const name = key.toString('latin1', 0, KEY_BYTES);
    const earlier = shard.get(name);
    if (earlier === undefined) shard.set(name, content);
    return earlier !== undefined && earlier !== content;
  }
}
