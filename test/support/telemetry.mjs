/** OpenTelemetry's SDK, which is no dependency of the service, and collectors for it. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Later versions need a newer Node than the service. */
const VERSION = '0.223.0';

/** Installs the SDK into `.cache`. @returns the NODE_PATH with which a service finds it */
export function installSdk(version = VERSION) {
  const cache = fileURLToPath(new URL(`../../.cache/tracing-${version}`, import.meta.url));
  mkdirSync(cache, { recursive: true });
  const sdk = `@opentelemetry/sdk-node@${version}`;
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', cache, sdk];
  if (spawnSync('npm', args).status !== 0) throw new Error(`npm install ${sdk} failed`);
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
