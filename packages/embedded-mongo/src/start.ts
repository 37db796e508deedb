import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { EmbeddedMongoOptions } from './server/server-address.js';
import type { EmbeddedMongo } from './server/server.js';

/** A message from the worker thread. */
export interface ThreadMessage {
  uri?: string;
  error?: string;
  warning?: string;
}

const RESTART_MS = 1000;

/**
 * Starts a MongoDB-compatible server on a directory, in a thread of its own. Several processes may share one directory at the
 * same time. If the thread dies, a new one takes over at the same address.
 *
 * @example
 * const { uri, close } = await createEmbeddedMongo({ path: './data' });
 * await mongoose.connect(uri, { dbName: 'test' });
 *
 * @throws Error if the data is damaged, foreign or of another format, or the address is in use.
 */
export async function createEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const file = new URL('./worker.js', import.meta.url);
  // Uncompiled, as under Jest, there is no file that a thread could run.
  if (!existsSync(file)) return (await import('./server/server.js')).runServer(options);
  const thread = new Thread(file, options);
  const uri = await thread.start();
  return { uri, close: () => thread.close() };
}

class Thread {
  private readonly options: EmbeddedMongoOptions;
  private readonly warn: (message: string) => void;
  private worker?: Worker;
  private closing?: Promise<void>;

  constructor(
    private readonly file: URL,
    { warn = () => undefined, ...options }: EmbeddedMongoOptions,
  ) {
    this.warn = warn;
    this.options = options;
  }

  async start(): Promise<string> {
    const worker = new Worker(this.file, { workerData: this.options });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const { uri, error } = await new Promise<ThreadMessage>((resolve) => {
      worker.on('message', (message: ThreadMessage) =>
        message.warning === undefined ? resolve(message) : this.warn(message.warning),
      );
      worker.on('error', (failure: unknown) => {
        this.warn(`the server thread failed: ${(failure as Error).message}`);
        resolve({ error: (failure as Error).message });
      });
      void ended.then(() => resolve({ error: 'the server thread ended' }));
    });
    if (!uri) {
      await worker.terminate();
      throw new Error(error);
    }
    this.worker = worker;
    // The server alone should not keep a process alive.
    worker.unref();
    void ended.then(() => this.restart(uri));
    return uri;
  }

  close(): Promise<void> {
    this.closing ??= (async () => {
      const { worker } = this;
      if (!worker) return;
      const ended = new Promise((resolve) => worker.once('exit', resolve));
      worker.ref();
      worker.postMessage('close');
      await ended;
    })();
    return this.closing;
  }

  private async restart(uri: string): Promise<void> {
    this.worker = undefined;
    this.options.address = uri;
    while (!this.closing) {
      await delay(RESTART_MS, undefined, { ref: false });
      try {
        if (!this.closing) await this.start();
        return;
      } catch (error) {
        this.warn(`the server cannot be restarted: ${(error as Error).message}`);
      }
    }
  }
}
