import type { Connection, mongo } from 'mongoose';

/** The commands that go on in the server after their caller has left, unless they have a time limit. */
export const BOUNDED = ['find', 'insert', 'update', 'delete', 'findAndModify', 'aggregate', 'count', 'distinct'];
const LONGEST_MS = 120_000;

/** Throws for every command without a time limit. The connection string needs `monitorCommands`. */
export function assertBounded(connection: Connection): void {
  connection.once('connected', () =>
    connection.getClient().on('commandStarted', ({ commandName, command }: mongo.CommandStartedEvent) => {
      if (commandName === 'getMore' && 'maxTimeMS' in command) throw new Error('getMore has a time limit');
      if (!BOUNDED.includes(commandName) || (command.maxTimeMS > 0 && command.maxTimeMS <= LONGEST_MS)) return;
      throw new Error(`A command without a time limit: ${commandName} of ${String(command[commandName])}`);
    }),
  );
}
