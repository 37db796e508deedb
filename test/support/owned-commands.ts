import type { Connection, mongo } from 'mongoose';
import { currentTrace } from 'avatar-chat-runtime';

/** The trace of what belongs to no request. */
const OUTSIDE = currentTrace();

type Fields = Record<string, unknown>;

/** Collections in which every document belongs to one user. */
const OWNED = ['messages', 'sessions'];

/** Allowed commands on messages of more than one user, and why. */
const EXCEPTIONS = [
  'find date.$lt,project_id', // Retention finds expired messages of any user of a project,
  'delete _id.$in,project_id', // and removes them;
  'find ahead_since.,date.$gt,project_id', // it finds messages dated in the future,
  'update _id.$in,project_id', // records when they were first seen,
  'find ahead_since.$lt,date.$gt,project_id', // and finds those that were seen long ago.
  'find date.$gt,follows.$exists,project_id', // An operator follows the messages of a project,
  'find $or.0.1', // those included that wait for unfinished ones,
  'find _id.$in,project_id', // from one of them on.
  'find file_id.$in', // Retention checks which files belong to a message.
  'aggregate date.$gte,project_id', // An operator counts a project's messages,
  'aggregate date.$gte,project_id,unanswered', // and its unanswered questions,
  'aggregate expires_at.$gt,project_id', // and its sessions.
  'aggregate project_id', // An operator lists the users of a project,
  'aggregate project_id,user_id.$regex.$options', // and searches them;
  'find project_id,user_id.$gt', // all of them are erased, one after the other.
  'find project_id', // A whole project is exported; and nobody may get the messages of a removed project of the same name.
  'find unfinished_until.$not,unpublished_since.$lte', // Events find messages that are not published yet,
  'find unfinished_until.$not,unpublished_since.$gt', // including those by clocks that were ahead.
  'find $nor.0,project_id', // Retention finds what a crash has left of an erased project,
  'delete $nor.0,_id.$in,project_id', // and removes it.
  'delete project_id', // The sessions of a project are removed with it.
  'find _id.$gt', // Migrations read all identifiers in batches,
  'update _id.$gte.$lte,asking_until.$exists', // and rename fields
  'update _id.$gte.$lte,unannounced.$exists', // of each batch.
  'find _id.$in', // An import checks whether an `_id` belongs to a message of any user.
];

/**
 * Throws for every command on messages or sessions that does not name their project and user as plain values, and for one
 * of a request that mongos would send to every shard: the shard key of messages begins with the project. It sees
 * what the driver is about to send, from Mongoose or bypassing it. The connection string needs `monitorCommands`.
 */
export function assertOwners(connection: Connection): void {
  connection.once('connected', () => connection.getClient().on('commandStarted', assertOwner));
}

function assertOwner({ commandName, command }: mongo.CommandStartedEvent): void {
  if (!OWNED.includes(command[commandName])) return;
  for (const filter of filtersOf(commandName, command)) {
    const shape = `${commandName} ${shapeOf(filter)}`;
    const branches = (filter.$or as Fields[] | undefined) ?? [];
    if (!(isOwned(filter) || (branches.length > 0 && branches.every(isOwned))) && !EXCEPTIONS.includes(shape))
      throw new Error(`A command without an owner: ${shape}`);
    if (currentTrace() !== OUTSIDE && !(isOfProject(filter) || (branches.length > 0 && branches.every(isOfProject))))
      throw new Error(`A request that asks every shard: ${shape}`);
  }
}

const isOfProject = ({ project_id }: Fields): boolean => typeof project_id === 'string';

/** One user's, or those of users who are named. */
function isOwned({ project_id, user_id }: Fields): boolean {
  const isNamed = typeof user_id === 'string' || Array.isArray((user_id as { $in?: unknown } | undefined)?.$in);
  return typeof project_id === 'string' && isNamed;
}

/** The filter of a command; for an insert, the documents. */
function filtersOf(commandName: string, command: Fields): Fields[] {
  const statements = (name: string) => (command[name] as { q: Fields }[]).map(({ q }) => q);
  switch (commandName) {
    case 'insert':
      return command.documents as Fields[];
    case 'update':
      return statements('updates');
    case 'delete':
      return statements('deletes');
    case 'aggregate':
      return [(command.pipeline as { $match?: Fields }[])[0]?.$match ?? {}];
    case 'createIndexes':
    case 'dropIndexes':
    case 'listIndexes':
      return [];
    default:
      return [(command.filter ?? command.query ?? {}) as Fields];
  }
}

/** Its fields with their operators, such as `date.$lt,project_id`. */
function shapeOf(filter: Fields): string {
  const operators = (value: unknown) => (typeof value === 'object' ? `.${Object.keys(value ?? {}).join('.')}` : '');
  return Object.entries(filter)
    .map(([name, value]) => name + operators(value))
    .sort()
    .join();
}
