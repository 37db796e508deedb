import type { ReadDocument } from 'avatar-chat-knowledge';
import { failure } from '../platform/errors/index.js';

/** Documents that are read at a time, each in a process of its own, and that wait. */
const MAX_READING = 2;
const MAX_WAITING = 16;

/** Reads documents, a few at a time. */
export class ReadingQueue {
  private reading = 0;
  private readonly waiting: (() => void)[] = [];

  /** @throws ServiceError `invalid_document`; `service_unavailable` if too many wait */
  async read(bytes: Uint8Array, name: string): Promise<ReadDocument> {
    if (this.reading >= MAX_READING) {
      if (this.waiting.length >= MAX_WAITING) throw failure('service_unavailable');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.reading++;
    try {
      const { DocumentError, readDocument } = await import('avatar-chat-knowledge');
      return await readDocument(bytes, name).catch((error: unknown) => {
        throw error instanceof DocumentError ? failure('invalid_document', error.message) : error;
      });
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.reading--;
    }
  }
}
