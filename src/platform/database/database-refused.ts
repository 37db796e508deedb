import { mongo } from 'mongoose';

/**
 * The database is reachable, but startup cannot get what it needs. The message is for operators: it names collections
 * and MongoDB's codes. The driver's own message is dropped, since it quotes stored values, such as duplicate keys.
 */
export class DatabaseRefusedError extends Error {
  override readonly name: string = 'DatabaseRefusedError';
}

/** Runs a part of the startup. @throws DatabaseRefusedError in place of an error returned by the server */
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

/** The names, not the values, of the fields with duplicate keys. */
function sharedKey(error: mongo.MongoServerError): string {
  const { keyPattern } = error as { keyPattern?: object };
  return keyPattern ? `. Documents share a key of ${Object.keys(keyPattern).join(', ')}, which has to be unique` : '';
}
