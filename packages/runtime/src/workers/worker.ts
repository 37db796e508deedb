import cluster from 'node:cluster';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { FromSupervisor, FromWorker } from './messages.js';

let supervised = false;
/** Whether this process is one of several that serve one port. */
export const isWorker = (): boolean => supervised;

/** Whether this process reports what all workers have in common. */
export const isFirstOrOnly = (): boolean => !supervised || cluster.worker?.id === 1;

/** How long requests and live sessions of a replaced worker may continue, in milliseconds. */
export const REPLACED_LIMIT_MS = 60_000;

let replaced = false;
/** Whether another worker has replaced this one, which should exit without being noticed. */
export const isReplaced = (): boolean => replaced;

// With a callback, an error is passed to it instead of being thrown: a supervisor that has exited takes its workers
// with it anyway.
const tell = (message: FromWorker) => process.send?.(message, undefined, undefined, () => undefined);

/** Asks the supervisor to print this line when all workers listen. */
export function reportListening(line: string): void {
  tell({ listening: line });
}

/** Makes this process a worker, controlled by the supervisor. */
export function listenToSupervisor(): void {
  supervised = true;
  // Errors of messages to a supervisor that has exited, such as Node's own about a closed port.
  cluster.worker?.on('error', () => undefined);
  process.on('message', (message: FromSupervisor, socket?: Socket) => {
    if ('replaced' in message) {
      replaced = true;
      process.kill(process.pid, 'SIGTERM');
    } else if ('received' in message) {
      if (!socket || !receiver) return void socket?.destroy();
      if (message.unknown !== undefined) strangers.add(message.unknown);
      receiver.emit('connection', socket);
      socket.emit('data', Buffer.from(message.received, 'latin1'));
    } else if ('metricsFor' in message) {
      waiting.get(message.metricsFor)?.(message.text);
    }
  });
  // Its constructor is what listens for requests of this worker's metrics.
  void new AggregatorRegistry();
  AggregatorRegistry.setRegistries([]);
}

let receiver: Server | undefined;
/** Processes that are no workers of the supervisor. */
const strangers = new Set<number>();

/** Sets the server to which connections of other workers go. */
export function receiveConnections(server: Server): void {
  receiver = server;
}

/** Whether a process of this machine may be another worker of the same supervisor. */
export const mayBeWorker = (pid: number): boolean => supervised && pid !== process.pid && !strangers.has(pid);

/** Passes a connection to another worker; it comes back if there is none. @param received what was read of it */
export function passConnection(pid: number, socket: Socket, received: Buffer): void {
  // Otherwise a server that closes waits for what became of it.
  Object.assign(socket, { server: undefined });
  const message: FromWorker = { connectionFor: pid, received: received.toString('latin1') };
  process.send?.(message, socket, undefined, () => socket.destroy());
}

/** Sets this worker's share of the metrics of all. */
export function offerMetrics(own: Registry): void {
  AggregatorRegistry.setRegistries(own);
}

/** Timeout for the metrics of all, in milliseconds: longer than the supervisor normally takes. */
const METRICS_LIMIT_MS = 12_000;
let requests = 0;
/** Pending requests for the metrics of all, by number. */
const waiting = new Map<number, (text: string | undefined) => void>();

/** The metrics of all workers together, in Prometheus' text format; undefined if one of them did not respond. */
export function allWorkersMetrics(): Promise<string | undefined> {
  const request = ++requests;
  return new Promise((resolve) => {
    const settle = (text?: string) => {
      clearTimeout(timer);
      waiting.delete(request);
      resolve(text);
    };
    const timer = setTimeout(settle, METRICS_LIMIT_MS).unref();
    waiting.set(request, settle);
    tell({ wantsMetrics: request });
  });
}
