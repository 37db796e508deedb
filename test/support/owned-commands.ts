import type { Connection, mongo } from 'mongoose';

type Fields = Record<string, unknown>;

/** Collections in which every document is one user's. */
const OWNED = ['messages', 'sessions'];

/** What may be asked of messages for more than one user, and why. */
const EXCEPTIONS = [
  'find date.$lt,project_id', // Retention looks for what is too old, of any user of a project,
  'delete _id.$in,project_id', // and removes it;
  'find ahead_since.,date.$gt,project_id', // it looks for what lies ahead,
  'update _id.$in,project_id', // notes that it does,
  'find ahead_since.$lt,date.$gt,project_id', // and looks for what has done so for too long.
  'find file_id.$in', // Retention asks whose files belong to a message.
  'aggregate date.$gte,project_id', // An operator counts what a project has,
  'aggregate date.$gte,project_id,unanswered', // and what its users got no answer to,
  'aggregate expires_at.$gt,project_id', // and its sessions.
  'aggregate project_id', // An operator lists the users of a project,
  'aggregate project_id,user_id.$regex.$options', // and searches them;
  'find project_id,user_id.$gt', // all of them are erased, one after the other.
  'find project_id', // A whole project is exported; and nobody is to be given the messages of a removed project of the same name.
  'find unfinished_until.$not,unpublished_since.$lte', // Events look for messages of which they have not told,
  'find unfinished_until.$not,unpublished_since.$gt', // by clocks that were ahead as well.
  'find $nor.0,file_id.$exists,project_id', // Retention looks for what a crash has left of an erased project,
  'delete $nor.0,_id.$in,file_id.$exists,project_id', // and removes it,
  'delete $nor.0,file_id.$exists,project_id', // and removes it.
  'delete project_id', // The sessions of a project go when it is removed.
  'find _id.$gt', // Migrations read all identifiers in batches,
  'update _id.$gte.$lte,asking_until.$exists', // and rename fields
  'update _id.$gte.$lte,unannounced.$exists', // of each batch.
  'find _id.$in', // An import asks whether an `_id` is taken, by whosoever's message.
];

/**
 * Makes every command on messages or sessions throw that does not name, as plain values, the project and the user
 * whose they are. It sees what the driver is about to send, whether Mongoose made it or something past Mongoose. The
 * connection string has to say `monitorCommands`.
 */
export function demandOwners(connection: Connection): void {
  connection.once('connected', () => connection.getClient().on('commandStarted', demandOwner));
}

function demandOwner({ commandName, command }: mongo.CommandStartedEvent): void {
  if (!OWNED.includes(command[commandName])) return;
  for (const filter of filtersOf(commandName, command)) {
    const shape = `${commandName} ${shapeOf(filter)}`;
    const owned = typeof filter.project_id === 'string' && typeof filter.user_id === 'string';
    if (!owned && !EXCEPTIONS.includes(shape)) throw new Error(`A command without an owner: ${shape}`);
  }
}

/** What a command picks documents by; of an insert, the documents. */
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
