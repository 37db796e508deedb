/** OpenTelemetry's SDK, which is no dependency of the service, and collectors for it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { npmPackages } from '../../scripts/cached.mjs';

/** Later versions need a newer Node than the service. */
const VERSION = '0.223.0';

/** Installs the SDK into `.cache`. @returns the NODE_PATH with which a service finds it */
export function installSdk(version = VERSION) {
  const cache = npmPackages(`tracing-${version}`, [`@opentelemetry/sdk-node@${version}`]);
  if (!cache) process.exit(1);
  return join(cache, 'node_modules');
}

/**
 * A server for traces.
 *
 * @param {((body: Buffer) => void) | undefined} onBody gets what was sent; without it, the server never answers
 */
export async function startCollector(onBody) {
  const server = createServer(async (request, response) => {
    if (!onBody) return;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    onBody(Buffer.concat(chunks));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
