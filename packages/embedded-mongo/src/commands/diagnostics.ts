import * as os from 'node:os';
import { Doc } from '../values/bson.js';
import type { Command } from '../server/server-state.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';

/** The MongoDB version whose wire protocol and commands this server follows. */
export const VERSION = '7.0.0';

const started = performance.now();

/** The fields of MongoDB's reply that this server can fill. */
export const serverStatus: Command = (_state, _body, { open, id }) => ({
  host: os.hostname(),
  version: VERSION,
  process: 'embedded-mongo',
  pid: process.pid,
  uptime: Math.floor((performance.now() - started) / 1000),
  uptimeMillis: Math.floor(performance.now() - started),
  localTime: new Date(),
  connections: { current: open(), totalCreated: Math.max(id, open()) },
  mem: { bits: 64, resident: Math.round(process.memoryUsage.rss() / 2 ** 20), supported: true },
  storageEngine: { name: 'lmdb' },
});

/** There is no authentication, so there are no users. */
export const connectionStatus: Command = (_state, { showPrivileges }) => ({
  authInfo: {
    authenticatedUsers: [],
    authenticatedUserRoles: [],
    ...(showPrivileges && { authenticatedUserPrivileges: [] }),
  },
});

const PARAMETERS: Doc = { featureCompatibilityVersion: { version: VERSION.slice(0, 3) }, authenticationMechanisms: [] };

export const getParameter: Command = (_state, body) => {
  const all = body.getParameter === '*' || body.getParameter?.allParameters === true;
  const names = all ? Object.keys(PARAMETERS) : Object.keys(PARAMETERS).filter((name) => body[name]);
  if (!names.length) throw new CommandError('InvalidOptions', 'no option found to get');
  return Object.fromEntries(names.map((name) => [name, PARAMETERS[name]]));
};

const WARNING = 'embedded-mongo is meant for evaluation, development and tests. There is no authentication.';

/** A shell prints the warnings when a session starts, each a line of JSON. */
export const getLog: Command = (_state, body) => {
  const name: unknown = body.getLog;
  if (name === '*') return { names: ['startupWarnings'] };
  if (name === 'global' || name === 'rs') throw unsupported(`The log '${name}' is`, 'CommandNotSupported');
  if (name !== 'startupWarnings') throw new CommandError('OperationFailed', `No log named '${String(name)}'`);
  const t = { $date: new Date(started).toISOString() };
  const line = { t, s: 'W', c: 'CONTROL', id: 0, ctx: 'main', msg: WARNING, tags: ['startupWarnings'] };
  return { totalLinesWritten: 1, log: [JSON.stringify(line)] };
};
