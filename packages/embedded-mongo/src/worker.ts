import { parentPort, workerData } from 'node:worker_threads';
import { runServer } from './server/server.js';
import type { ThreadMessage } from './start.js';

/** The worker thread of `createEmbeddedMongo`: posts `ThreadMessage`s, and closes when it receives its first message. */
const port = parentPort!;
const say = (message: ThreadMessage): void => port.postMessage(message);
try {
  const server = await runServer({ ...workerData, warn: (warning: string) => say({ warning }) });
  port.once('message', () => void server.close().then(() => port.close()));
  say({ uri: server.uri });
} catch (error) {
  say({ error: error instanceof Error ? error.message : String(error) });
}
