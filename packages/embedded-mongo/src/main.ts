#!/usr/bin/env node
import { parseArgs } from 'node:util';
import type { EmbeddedMongoOptions } from './server/server-address.js';
import { runServer } from './server/server.js';

const USAGE = 'usage: node packages/embedded-mongo/dist/main.js --path DIR|:memory: [--port N] [--host ADDRESS]';

function options(): EmbeddedMongoOptions {
  const { values } = parseArgs({
    options: { path: { type: 'string' }, port: { type: 'string' }, host: { type: 'string' } },
  });
  if (!values.path) throw new Error('--path is missing');
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && !(/^\d+$/.test(values.port!) && port <= 65535))
    throw new Error(`--port is not a port: ${values.port}`);
  if (values.host !== undefined && port === undefined) throw new Error('--host needs --port');
  return { path: values.path, port, host: values.host };
}

let given: EmbeddedMongoOptions;
try {
  given = options();
} catch (error) {
  console.error(`${(error as Error).message}\n${USAGE}`);
  process.exit(2);
}

try {
  const server = await runServer({ ...given, warn: (message) => console.error(`embedded-mongo: ${message}`) });
  console.log(`embedded-mongo (for evaluation, development and tests): ${server.uri}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(`embedded-mongo cannot start: ${(error as Error).message}`);
  process.exit(1);
}
