import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';

let starting = 0;

/**
 * Starts a thread for native code or WebAssembly: without the service's environment, and with the libraries' output
 * discarded.
 *
 * V8 decides when a thread starts whether other threads compile its code. Here the thread compiles it itself: each
 * compiler thread would keep some 10 MiB that it once used for the huge functions of a synthesizer.
 *
 * @param file compiled
 * @throws Error if it cannot be started
 */
export function startThread(file: URL, resourceLimits: ResourceLimits): Worker {
  if (starting++ === 0) compileConcurrently(false);
  let isStarting = true;
  const started = () => {
    if (isStarting && --starting === 0) compileConcurrently(true);
    isStarting = false;
  };
  try {
    const worker = new Worker(file, { stdout: true, stderr: true, env: {}, execArgv: [], resourceLimits });
    worker.once('online', started);
    worker.once('exit', started);
    worker.on('error', () => undefined); // the exit event follows
    return worker;
  } catch (error) {
    started();
    throw error;
  }
}

function compileConcurrently(does: boolean): void {
  setFlagsFromString(does ? '--concurrent-recompilation' : '--no-concurrent-recompilation');
}
