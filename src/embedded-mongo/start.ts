import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EmbeddedMongo, EmbeddedMongoOptions } from './server.js';

/**
 * Starts a MongoDB-compatible server over a directory, in a thread of its own. Several processes may do so on the same
 * directory at a time.
 *
 * @example
 * const { uri, close } = await startEmbeddedMongo({ path: './data' });
 * await mongoose.connect(uri, { dbName: 'test' });
 *
 * @throws Error when the data is damaged, foreign or of another format, or the address is taken.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const file = new URL('./worker.js', import.meta.url);
  // Uncompiled, as under Jest, there is no file that a thread could run.
  if (!existsSync(file)) return (await import('./server.js')).runServer(options);
  const worker = new Worker(file, { workerData: options });
  const [first] = (await once(worker, 'message')) as [{ uri?: string; error?: string }];
  if (!first.uri) {
    await worker.terminate();
    throw new Error(first.error);
  }
  const ended = once(worker, 'exit');
  // The server alone is no reason for a process to stay.
  worker.unref();
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    worker.ref();
    worker.postMessage('close');
    await ended;
  };
  return { uri: first.uri, close: () => (closing ??= close()) };
}
