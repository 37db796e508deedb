import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FromSupervisor, FromWorker } from './messages.js';
import { REPLACED_LIMIT_MS } from './worker.js';

/** How long a worker may take to shut down after its drain, in milliseconds; then it is killed. */
const END_LIMIT_MS = 11_000;

/**
 * A worker process, as seen by its supervisor. It may exit at any time, so nothing here throws or waits forever if it
 * does.
 */
export class SupervisedWorker {
  readonly startedAt = performance.now();
  /** The line to print, once it listens. */
  readonly listening: Promise<string>;
  /** Resolves when it has exited, or could not be started. */
  readonly ended: Promise<void>;
  private readonly worker: Worker;

  /**
   * @param onQuestion called when it requests the metrics of all, with the number of its request
   * @param environment variables that differ from those of this process; it does not have those that are undefined
   */
  constructor(
    onQuestion: (worker: SupervisedWorker, request: number) => void,
    private readonly shutdownMs: number,
    environment: Readonly<Record<string, string | undefined>> = {},
  ) {
    const worker = (this.worker = cluster.fork(environment));
    this.ended = new Promise((resolve) => {
      worker.once('exit', () => resolve());
      // Errors of a channel that closed during a write, or of a process that never started.
      worker.on('error', () => {
        if (worker.process.pid === undefined) resolve();
      });
    });
    this.listening = new Promise((resolve) => {
      worker.on('message', (message: FromWorker, socket?: Socket) => {
        if ('listening' in message) resolve(message.listening);
        else if ('connectionFor' in message && socket) passOn(worker, socket, message.connectionFor, message.received);
        // prom-client has messages of its own.
        else if ('wantsMetrics' in message) onQuestion(this, message.wantsMetrics);
      });
    });
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  /** Sends a message; it is dropped if the worker has exited. */
  send(message: FromSupervisor): void {
    // With a callback, an error is passed to it instead of being thrown: the worker may have exited before this process
    // knows.
    this.worker.send(message, () => undefined);
  }

  /** Signals it to shut down, and waits until it has exited; kills it if it takes too long. */
  async end(): Promise<void> {
    this.kill('SIGTERM');
    await this.untilEnded(this.shutdownMs + END_LIMIT_MS);
  }

  /** Lets it finish what it does and shut down, since another one has replaced it. Resolves when it has exited. */
  async retire(): Promise<void> {
    this.send({ replaced: true });
    await this.untilEnded(REPLACED_LIMIT_MS + this.shutdownMs + END_LIMIT_MS);
  }

  private async untilEnded(limit: number): Promise<void> {
    const inTime = await Promise.race([this.ended.then(() => true), delay(limit, false, { ref: false })]);
    if (inTime) return;
    this.kill('SIGKILL');
    await this.ended;
  }

  kill(signal: NodeJS.Signals): void {
    this.worker.process.kill(signal);
  }
}

/** How long a connection may wait for the worker that it is passed to, in milliseconds. */
const PASSING_MS = 15_000;

/** Passes a connection of a worker to the one with a pid, or back. Once it is there, it is closed here. */
function passOn(from: Worker, socket: Socket, pid: number, received: string): void {
  // It may be reset while it waits for a worker that is busy, or has ended.
  socket.on('error', () => socket.destroy()).setTimeout(PASSING_MS, () => socket.destroy());
  const to = Object.values(cluster.workers ?? {}).find((worker) => worker?.process.pid === pid);
  const message: FromSupervisor = to ? { received } : { received, unknown: pid };
  (to ?? from).send(message, socket, () => socket.destroy());
}
