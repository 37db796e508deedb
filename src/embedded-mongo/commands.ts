import {
  buildInfo,
  create,
  createIndexes,
  drop,
  dropDatabase,
  dropIndexes,
  hello,
  listCollections,
  listDatabases,
  listIndexes,
  nothing,
} from './admin.js';
import { aggregate } from './aggregate.js';
import type { Command } from './engine.js';
import { count, distinct, find, getMore, killCursors } from './find.js';
import { findAndModify, insert, remove, update } from './write.js';

/** Every command there is; any other is answered with CommandNotFound. */
export const commands = new Map<string, Command>(
  Object.entries({
    hello,
    isMaster: hello,
    ismaster: hello,
    ping: nothing,
    buildInfo,
    buildinfo: buildInfo,
    endSessions: nothing,
    insert,
    find,
    getMore,
    killCursors,
    update,
    delete: remove,
    findAndModify,
    findandmodify: findAndModify,
    aggregate,
    count,
    distinct,
    create,
    createIndexes,
    dropIndexes,
    listIndexes,
    listCollections,
    listDatabases,
    drop,
    dropDatabase,
  }),
);
