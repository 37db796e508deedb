import { mongo } from 'mongoose';

/** MongoDB's code of a write that a unique index refuses. */
export const DUPLICATE_KEY = 11000;

export function isDuplicateKey(error: unknown): error is mongo.MongoServerError {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}
