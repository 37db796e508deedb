import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** How long to wait for a condition, in milliseconds. */
const PATIENCE = 50_000;
/** The longest time between two checks of one, in milliseconds. */
const LONGEST_PAUSE = 100;

type Body = { properties: { data: object } };
type Webhooks = Record<string, { post: { requestBody: { content: { 'application/json': { schema: Body } } } } }>;
const { webhooks, components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  webhooks: Webhooks;
  components: object;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const checks = new Map<string, ValidateFunction>();

/** How an event of the service differs from the OpenAPI document, which describes all of its fields. */
function undocumentedIn(event: Received['event']): string | undefined {
  const { schema } = webhooks[event.type]?.post.requestBody.content['application/json'] ?? {};
  if (!schema) return undefined;
  const data = { allOf: [schema.properties.data], unevaluatedProperties: false };
  const check =
    checks.get(event.type) ?? ajv.compile({ ...schema, properties: { ...schema.properties, data }, components });
  checks.set(event.type, check);
  return check(event as unknown)
    ? undefined
    : `${event.type}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(event)}`;
}

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
  /** Stops listening, and closes open connections. @throws Error if an event was not as openapi.json describes it */
  close(): Promise<void>;
}

/** A real server that receives webhooks. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const faults: string[] = [];
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
        const fault = undocumentedIn(received.event);
        if (fault !== undefined) faults.push(fault);
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
    if (faults.length > 0) throw new Error(`openapi.json does not describe ${faults.join('; ')}`);
  };
  return receiver;
}
