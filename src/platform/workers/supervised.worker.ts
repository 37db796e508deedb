import cluster, { type Worker } from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import type { FromSupervisor, FromWorker } from './messages.js';

/** How long a worker that has been told to end may take, in milliseconds; then it is killed. */
const END_LIMIT_MS = 15_000;

/** A worker, as its supervisor sees it. It may end at any time, so nothing here throws or waits for ever when it does. */
export class SupervisedWorker {
  readonly startedAt = performance.now();
  /** The line to print, once it listens. */
  readonly listening: Promise<string>;
  /** Once it has ended, or could not be started. */
  readonly ended: Promise<void>;
  private readonly worker: Worker;

  /** @param onQuestion called when it asks for the metrics of all, with the number of its request */
  constructor(onQuestion: (worker: SupervisedWorker, request: number) => void) {
    const worker = (this.worker = cluster.fork());
    this.ended = new Promise((resolve) => {
      worker.once('exit', () => resolve());
      // Of a channel that closed while something was written to it, or of a process that was never there.
      worker.on('error', () => {
        if (worker.process.pid === undefined) resolve();
      });
    });
    this.listening = new Promise((resolve) => {
      worker.on('message', (message: FromWorker) => {
        if ('listening' in message) resolve(message.listening);
        // prom-client has messages of its own.
        else if ('wantsMetrics' in message) onQuestion(this, message.wantsMetrics);
      });
    });
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  /** Sends a message; of one that has ended it is dropped. */
  send(message: FromSupervisor): void {
    // With a callback an error goes to it and is not thrown: the worker may have ended without this process knowing yet.
    this.worker.send(message, () => undefined);
  }

  /** Tells it to end, and waits until it has; kills it when it takes too long. */
  async end(tell: (worker: this) => void = (worker) => worker.kill('SIGTERM')): Promise<void> {
    tell(this);
    const inTime = await Promise.race([this.ended.then(() => true), delay(END_LIMIT_MS, false, { ref: false })]);
    if (inTime) return;
    this.kill('SIGKILL');
    await this.ended;
  }

  kill(signal: NodeJS.Signals): void {
    this.worker.process.kill(signal);
  }
}
