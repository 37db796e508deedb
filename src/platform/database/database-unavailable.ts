import { mongo } from 'mongoose';
import { isError } from '../logging/index.js';

/** The database did not respond within the time that a request may wait, or there is no connection. */
export class DatabaseUnavailableError extends Error {
  constructor() {
    super('The database does not answer');
    this.name = 'DatabaseUnavailableError';
  }

  /**
   * With {@link statusCode} and {@link expose} for the filters of Nest and Express, in case a host's own route throws
   * it.
   */
  get status(): number {
    return 503;
  }

  get statusCode(): number {
    return this.status;
  }

  /** Its message is meant for clients. */
  get expose(): boolean {
    return true;
  }
}

const UNAVAILABLE = [
  DatabaseUnavailableError,
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoTopologyClosedError,
  mongo.MongoServerClosedError,
  mongo.MongoClientClosedError,
  mongo.MongoOperationTimeoutError,
  mongo.MongoExpiredSessionError,
];

/** MongoDB's code for a command that has reached its time limit: it must not be repeated. */
const TIME_LIMIT = 50;

/**
 * MongoDB's codes for a member that shuts down, cannot be reached, is not or no longer the primary, or has not replicated
 * a write in time: all that the driver's specifications call retryable, and
 */
const AWAY_CODES = new Set([6, 7, 64, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** those that the driver does not retry by itself, although nothing was done. */
const REFUSED_CODES = new Set([112, 133, 10058, 13388]);

/** The labels by which servers ask for another attempt. */
const LABELS = ['RetryableWriteError', 'RetryableError', 'TransientTransactionError'];

/** MongoDB's code for a full disk: data can still be read, and an immediate retry does not help. */
const OUT_OF_DISK_SPACE = 14031;

/** A write to a socket that the other end has just closed: the driver passes the system's error on unchanged. */
export function isSocketError(error: unknown): boolean {
  return (
    isError(error) &&
    /^E(PIPE|CONN|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.test(String((error as NodeJS.ErrnoException).code))
  );
}

/**
 * Whether an error means that the database was unavailable or cannot write, rather than that it rejected the operation.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.some((type) => error instanceof type)) return true;
  // Errors of bulk writes, and so of every insertMany, are wrapped.
  if (error instanceof mongo.MongoBulkWriteError && isError(error.errorResponse)) {
    return isDatabaseUnavailable(error.errorResponse);
  }
  if (error instanceof mongo.MongoServerError) {
    const code = Number(error.code);
    return (
      AWAY_CODES.has(code) ||
      REFUSED_CODES.has(code) ||
      code === TIME_LIMIT ||
      code === OUT_OF_DISK_SPACE ||
      LABELS.some((label) => error.hasErrorLabel(label))
    );
  }
  // The driver does not export the pool's own errors; Mongoose throws a plain error if there never was a connection.
  return (
    isError(error) &&
    /^(MongoPool|MongoWaitQueue|MongooseServerSelection)|initial connection/.test(`${error.name} ${error.message}`)
  );
}

/** Whether the server did nothing, and the driver does not retry. */
export function wasRefused(error: unknown): boolean {
  const isPartial = error instanceof mongo.MongoBulkWriteError && error.insertedCount > 0;
  return error instanceof mongo.MongoServerError && REFUSED_CODES.has(Number(error.code)) && !isPartial;
}

/** Whether an immediate retry may succeed: a connection was lost, or the primary has changed. */
export function isTransient(error: unknown): boolean {
  if (error instanceof mongo.MongoNetworkTimeoutError) return false;
  if (error instanceof mongo.MongoServerError) return AWAY_CODES.has(Number(error.code)) || wasRefused(error);
  return error instanceof mongo.MongoNetworkError || isSocketError(error);
}
