import { parentPort, workerData } from 'node:worker_threads';
import { runServer } from './server.js';

/** The thread of `startEmbeddedMongo`: says `{uri}` or `{error}`, and closes at the first message. */
const port = parentPort!;
try {
  const server = await runServer(workerData);
  port.once('message', () => void server.close().then(() => port.postMessage({ closed: true })));
  port.postMessage({ uri: server.uri });
} catch (error) {
  port.postMessage({ error: error instanceof Error ? error.message : String(error) });
}
