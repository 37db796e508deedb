import { mongo } from 'mongoose';
import { isError } from '../logging/index.js';

/** No answer from the database within the time that a request may wait for it, or no connection at all. */
export class DatabaseUnavailableError extends Error {
  constructor() {
    super('The database does not answer');
    this.name = 'DatabaseUnavailableError';
  }

  /** With {@link statusCode} and {@link expose}, what the filters of Nest and Express look for, should a host's own route throw it. */
  get status(): number {
    return 503;
  }

  get statusCode(): number {
    return this.status;
  }

  /** Its message is made for clients. */
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

/** MongoDB's own codes for a member that is going away or not yet, or no longer, the primary. */
const AWAY_CODES = new Set([50, 91, 189, 262, 10107, 11600, 11602, 13435, 13436]);

/** MongoDB's code for a full disk: what it has can be read, and asking again at once does not help. */
const OUT_OF_DISK_SPACE = 14031;

/** A write to a socket whose other end has just gone: the driver hands on the system's error as it is. */
export function isSocketError(error: unknown): boolean {
  return (
    isError(error) &&
    /^E(PIPE|CONN|TIMEDOUT|HOSTUNREACH|NETUNREACH)/.test(String((error as NodeJS.ErrnoException).code))
  );
}

/** Whether an error says that the database could not be asked, or cannot write, rather than that it refused what it was asked. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (UNAVAILABLE.some((type) => error instanceof type)) return true;
  // What a bulk write met, and every insertMany is one, comes wrapped.
  if (error instanceof mongo.MongoBulkWriteError && isError(error.errorResponse)) {
    return isDatabaseUnavailable(error.errorResponse);
  }
  if (error instanceof mongo.MongoServerError) {
    return AWAY_CODES.has(Number(error.code)) || Number(error.code) === OUT_OF_DISK_SPACE;
  }
  // The pool's own errors are not exported by the driver; Mongoose has a plain one for a connection never made.
  return (
    isError(error) &&
    /^(MongoPool|MongoWaitQueue|MongooseServerSelection)|initial connection/.test(`${error.name} ${error.message}`)
  );
}

/** Whether asking again at once may well succeed: a connection broke, or another member has become the primary. */
export function isTransient(error: unknown): boolean {
  if (error instanceof mongo.MongoNetworkTimeoutError) return false;
  if (error instanceof mongo.MongoServerError) return AWAY_CODES.has(Number(error.code));
  return error instanceof mongo.MongoNetworkError || isSocketError(error);
}
