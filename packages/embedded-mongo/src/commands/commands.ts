import { buildInfo, create, drop, dropDatabase, hello, listCollections, nothing } from './admin.js';
import { collMod, renameCollection } from './alter.js';
import { connectionStatus, getLog, getParameter, serverStatus } from './diagnostics.js';
import { collStats, dbStats, listDatabases } from './statistics.js';
import { aggregate } from './aggregate.js';
import type { Command } from '../server/server-state.js';
import { explain } from './explain.js';
import { findAndModify } from './find-and-modify.js';
import { count, distinct, find, getMore, killCursors } from './find.js';
import { createIndexes, dropIndexes, listIndexes } from '../indexes/indexes.js';
import { insert, remove, update } from './write.js';

/** All supported commands. Any other gets CommandNotFound. */
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
    explain,
    create,
    createIndexes,
    dropIndexes,
    listIndexes,
    listCollections,
    listDatabases,
    drop,
    dropDatabase,
    renameCollection,
    collMod,
    collStats,
    dbStats,
    dbstats: dbStats,
    serverStatus,
    connectionStatus,
    getParameter,
    getLog,
  }),
);
