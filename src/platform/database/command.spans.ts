import type { mongo } from 'mongoose';
import { CLIENT, currentTrace, faultOf, type Span, startSpan } from 'avatar-chat-runtime';

/** Records each command within another span: its name and collection, never what it reads or writes. */
export function traceCommands(client: mongo.MongoClient): void {
  const spans = new Map<number, Span>();
  client.on('commandStarted', ({ requestId, commandName: command, command: sent, databaseName }) => {
    if (currentTrace().span === undefined) return;
    const found: unknown = command === 'getMore' ? sent.collection : sent[command];
    const collection = typeof found === 'string' ? found : undefined;
    const span = startSpan([command, collection].filter(Boolean).join(' '), CLIENT, {
      'db.system.name': 'mongodb',
      'db.namespace': databaseName,
      'db.operation.name': command,
      ...(collection !== undefined && { 'db.collection.name': collection }),
    });
    if (span) spans.set(requestId, span);
  });
  client.on('commandSucceeded', ({ requestId }) => end(requestId));
  client.on('commandFailed', ({ requestId, failure }) => end(requestId, faultOf(failure)));

  function end(requestId: number, fault?: string): void {
    spans.get(requestId)?.end({}, fault);
    spans.delete(requestId);
  }
}
