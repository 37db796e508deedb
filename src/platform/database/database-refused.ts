import { mongo } from 'mongoose';

/**
 * The database is there, and what a start needs of it cannot be had. The message is for operators: it names collections
 * and MongoDB's codes. A driver's own message quotes stored values, such as the keys of a duplicate, and so is not kept.
 */
export class DatabaseRefusedError extends Error {
  override readonly name: string = 'DatabaseRefusedError';
}

/** Runs a part of the start. @throws DatabaseRefusedError in place of an error that the server answered with */
export async function preparing<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof mongo.MongoServerError)) throw error;
    const { codeName, code } = error;
    throw new DatabaseRefusedError(
      `The database refused ${action}: ${codeName ?? 'error'} (${String(code)})${sharedKey(error)}`,
    );
  }
}

/** The names, not the values, of the fields in which documents must differ and do not. */
function sharedKey(error: mongo.MongoServerError): string {
  const { keyPattern } = error as { keyPattern?: object };
  return keyPattern ? `. Documents share a key of ${Object.keys(keyPattern).join(', ')}, which has to be unique` : '';
}
