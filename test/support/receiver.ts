import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** How long to wait for a condition, in milliseconds. */
const PATIENCE = 50_000;
/** The longest time between two checks of one, in milliseconds. */
const LONGEST_PAUSE = 100;

/** A received webhook. */
export interface Received {
  headers: Record<string, string>;
  body: string;
  /** The body, parsed. */
  event: { type: string; timestamp: string; data: Record<string, any> };
}

export interface Receiver {
  url: string;
  /** Everything received, in order. */
  received: Received[];
  /** Its response status, until it is changed; 204 at first. */
  answer: (response: ServerResponse, received: Received) => void;
  /** Waits until a condition is met. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  /** Stops listening, and closes open connections. */
  close(): Promise<void>;
}

/** A real server that receives webhooks. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const receiver = {
    received: [],
    answer: (response: ServerResponse) => void response.writeHead(204).end(),
  } as unknown as Receiver;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => undefined);
    void text(request).then(
      (body) => {
        const received = { headers: request.headers as Record<string, string>, body, event: JSON.parse(body) };
        receiver.received.push(received);
        receiver.answer(response, received);
      },
      () => undefined,
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  receiver.until = async (condition) => {
    const tooLate = Date.now() + PATIENCE;
    // Most conditions are met soon, and many ask the database: the longer it takes, the less often they are checked.
    for (let pause = 5; !(await condition()); pause = Math.min(1.4 * pause, LONGEST_PAUSE)) {
      if (Date.now() > tooLate) throw new Error(`It has not come about: ${String(condition)}`);
      await delay(pause);
    }
  };
  receiver.close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return receiver;
}
