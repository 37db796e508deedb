/** A database server that the end-to-end suite runs on. `uri` names no database. */
export interface TestServer {
  name: string;
  uri: string;
}

/** The variable in which the suite's setup passes the servers to its workers. */
export const SERVERS_VARIABLE = 'E2E_SERVERS';

/** The variable with the spec that is being declared, if it needs to run on one server only. */
export const ONCE_VARIABLE = 'E2E_ONCE';

/** Runs a suite once on each server that this machine has, or on one of them, which the name of the spec chooses. */
export function onEachServer(suite: (server: TestServer) => void): void {
  const servers = JSON.parse(process.env[SERVERS_VARIABLE] ?? '[]') as TestServer[];
  if (servers.length === 0) throw new Error('No database server to test on: is this run by `npm test`?');
  const once = process.env[ONCE_VARIABLE];
  const chosen = once ? servers.slice(once.length % servers.length).slice(0, 1) : servers;
  describe.each(chosen)('on $name', suite);
}

/** Any server, for tests that do not depend on which it is. */
export function anyServer(): TestServer {
  const [server] = JSON.parse(process.env[SERVERS_VARIABLE] ?? '[]') as TestServer[];
  if (!server) throw new Error('No database server to test on: is this run by `npm test`?');
  return server;
}
