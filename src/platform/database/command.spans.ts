import { CLIENT, currentTrace, faultOf, startSpan } from 'avatar-chat-runtime';
import type { CommandTarget } from './bounded-client.js';

const nothing = (): void => undefined;

/** Records a command within another span: its name and collection, never what it reads or writes. */
export function traceCommand(command: string, { dbName, collectionName }: CommandTarget): (error?: unknown) => void {
  if (currentTrace().span === undefined) return nothing;
  const span = startSpan([command, collectionName].filter(Boolean).join(' '), CLIENT, {
    'db.system.name': 'mongodb',
    'db.namespace': dbName,
    'db.operation.name': command,
    ...(collectionName !== undefined && { 'db.collection.name': collectionName }),
  });
  if (!span) return nothing;
  return (error) => span.end({}, error === undefined ? undefined : faultOf(error));
}
