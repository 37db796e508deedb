import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoMemoryServer } from 'mongodb-memory-server';
import { startDatabase } from './processes.mjs';

/** How long it may take to find, download and start a real mongod, once per run, in milliseconds. */
const MONGOD_PATIENCE = 5000;

/** Starts, or finds, every server that the end-to-end suite can run on here. */
export default async function setUp() {
  const servers = [];
  const given = process.env.MONGODB_TEST_URI;
  const only = given && process.env.MONGODB_TEST_ONLY === 'on';
  const embedded = only ? undefined : await startDatabase();
  if (embedded) servers.push({ name: 'embedded-mongo', uri: embedded.uri });
  const mongod = only ? undefined : await startMongod();
  if (mongod) servers.push({ name: 'mongod', uri: mongod.getUri() });
  if (given) servers.push({ name: process.env.MONGODB_TEST_NAME ?? 'MONGODB_TEST_URI', uri: given });
  process.env.E2E_SERVERS = JSON.stringify(servers);
  process.env.E2E_LOGS = mkdtempSync(join(tmpdir(), 'e2e-logs-'));
  let isStopping = false;
  // If the shared store ends, every other test fails: say why.
  void embedded?.ended.then((code) => {
    if (!isStopping) console.error(`The shared embedded-mongo ended with ${code}: ${embedded.output.err.slice(-2000)}`);
  });
  globalThis.stopTestServers = async () => {
    isStopping = true;
    await embedded?.stop();
    await mongod?.stop();
  };
}

/** From its cache, the system or a download; undefined if the machine cannot run one. */
async function startMongod() {
  let timer;
  const tooLate = new Promise((resolve) => {
    timer = setTimeout(() => resolve(undefined), MONGOD_PATIENCE);
  });
  // Without a network, a retry only takes time.
  process.env.MONGOMS_MAX_RETRIES ??= '0';
  const { warn } = console;
  console.warn = () => undefined; // a machine without one is nothing to warn about
  const starting = MongoMemoryServer.create()
    .catch(() => undefined)
    .finally(() => (console.warn = warn));
  const server = await Promise.race([starting, tooLate]);
  clearTimeout(timer);
  if (!server) void starting.then((late) => late?.stop());
  return server;
}
