import { once } from 'node:events';
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';

/** The fault of a request. `lose`: it arrives, but its response does not. */
export type Fault =
  | 'drop'
  | 'lose'
  | 'silence'
  | { cutAfter: RegExp }
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Proxy {
  url: string;
  /** Received requests, such as `POST /jwt`, without queries. */
  seen: string[];
  /**
   * Faults for the next requests whose method and path match, in order. @returns a function that cancels the remaining
   * ones
   */
  injectFaults(which: RegExp, ...faults: Fault[]): () => void;
  /** Accepts no connections, like a machine that is off; `start` accepts them again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** A proxy to the service that injects faults on request; on a port of the system's choice, or this one. */
export async function aProxy(target: string, port = 0): Promise<Proxy> {
  const seen: string[] = [];
  const waiting: { which: RegExp; fault: Fault }[] = [];
  const sockets = new Set<Duplex>();
  const faultOf = ({ method, url }: IncomingMessage) => {
    const name = `${method} ${url?.replace(/\?.*/, '')}`;
    if (method !== 'OPTIONS') seen.push(name);
    const index = waiting.findIndex(({ which }) => which.test(name));
    const [{ fault } = { fault: undefined }] = index === -1 ? [] : waiting.splice(index, 1);
    return fault;
  };
  const server = createServer((request, response) => {
    const fault = faultOf(request);
    if (fault === 'drop') return request.socket.destroy();
    if (fault === 'silence') return;
    if (typeof fault === 'object' && 'status' in fault) {
      request.resume();
      return response.writeHead(fault.status, fault.headers).end(fault.body ?? '<h1>Bad gateway</h1>');
    }
    const onward = forward(target + request.url, { method: request.method, headers: request.headers }, (answer) => {
      if (fault === 'lose') return answer.resume().on('end', () => request.socket.destroy());
      response.writeHead(answer.statusCode!, answer.headers);
      if (!fault) return answer.pipe(response);
      passUntil(answer, response, fault.cutAfter);
    });
    onward.on('error', () => request.socket.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', (request, socket) => {
    if (faultOf(request)) return socket.destroy();
    const { hostname, port } = new URL(target);
    const onward = connect(Number(port), hostname);
    const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : [`${name}: ${all[at + 1]}`]));
    onward.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      sockets.add(one.on('error', () => undefined).on('close', () => sockets.delete(one)));
      one.pipe(other).on('close', () => one.destroy());
    }
  });
  const start = async () => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    injectFaults(which, ...faults) {
      const added = faults.map((fault) => ({ which, fault }));
      waiting.push(...added);
      return () => void waiting.splice(0, Infinity, ...waiting.filter((one) => !added.includes(one)));
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    start,
  };
}

function passUntil(answer: NodeJS.ReadableStream, response: ServerResponse, pattern: RegExp): void {
  let text = '';
  answer.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    // After what it holds has been sent: destroying a response drops what is still buffered.
    response.write(chunk, () => pattern.test(text) && response.destroy());
  });
  answer.on('end', () => response.end());
}
