import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker } from 'node:worker_threads';

let starting = 0;

/**
 * Starts a thread for native code or WebAssembly: without the service's environment, and without what a library prints.
 *
 * V8 reads when a thread begins whether its code is compiled by other threads. Here it is compiled by the thread itself:
 * each of the others would keep some 10 MiB that it once used for the functions of a synthesizer, which are huge.
 *
 * @param file compiled
 */
export function startThread(file: URL, resourceLimits: ResourceLimits): Worker {
  if (starting++ === 0) compileConcurrently(false);
  const worker = new Worker(file, { stdout: true, stderr: true, env: {}, execArgv: [], resourceLimits });
  let isStarting = true;
  const started = () => {
    if (isStarting && --starting === 0) compileConcurrently(true);
    isStarting = false;
  };
  worker.once('online', started);
  worker.once('exit', started);
  return worker;
}

function compileConcurrently(does: boolean): void {
  setFlagsFromString(does ? '--concurrent-recompilation' : '--no-concurrent-recompilation');
}
