import type { ReadDocument } from 'avatar-chat-knowledge';
import { FairQueue, QueueFullError } from 'avatar-chat-runtime';
import { failure } from '../platform/errors/index.js';

/** Documents that are read at a time, each in a process of its own, and that wait. */
const MAX_READING = 2;
const MAX_WAITING = 16;

/** Reads documents, a few at a time. */
export class ReadingQueue {
  private readonly queue = new FairQueue(MAX_READING, MAX_WAITING);

  /** @throws ServiceError `invalid_document`; `service_unavailable` if too many wait */
  async read(project_id: string, bytes: Uint8Array, name: string): Promise<ReadDocument> {
    const leave = await this.queue.enter([project_id]).catch((error: unknown) => {
      throw error instanceof QueueFullError ? failure('service_unavailable') : error;
    });
    try {
      const { DocumentError, readDocument } = await import('avatar-chat-knowledge');
      return await readDocument(bytes, name).catch((error: unknown) => {
        throw error instanceof DocumentError ? failure('invalid_document', error.message) : error;
      });
    } finally {
      leave();
    }
  }
}
