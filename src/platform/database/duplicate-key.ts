import { mongo } from 'mongoose';

/** MongoDB's code for a duplicate key. */
export const DUPLICATE_KEY = 11000;

export function isDuplicateKey(error: unknown): error is mongo.MongoServerError {
  return error instanceof mongo.MongoServerError && error.code === DUPLICATE_KEY;
}
