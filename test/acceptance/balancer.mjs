/** A small load balancer as in front of several processes: keeps connections alive, passes WebSockets on, and polls health endpoints. */
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { ask } from './harness.mjs';

/**
 * @param ports of the processes
 * @param health the polling interval of `/health/ready`, in milliseconds; without it, a process counts as unhealthy for
 * three seconds after it refuses a connection
 */
export async function startBalancer(ports, health) {
  const backends = ports.map((port) => ({
    port,
    healthy: true,
    agent: new Agent({ keepAlive: true, timeout: 60_000 }),
  }));
  const counts = { retriedRefused: 0, retried503: 0, lost: 0 };
  let turn = 0;
  const pick = (tried) => {
    const untried = backends.filter((backend) => !tried.includes(backend));
    const healthy = untried.filter((backend) => backend.healthy);
    const choice = healthy.length > 0 ? healthy : untried;
    return choice[turn++ % choice.length];
  };
  const suspect = (backend) => {
    backend.healthy = false;
    clearTimeout(backend.pardon);
    if (!health) backend.pardon = setTimeout(() => (backend.healthy = true), 3000).unref();
  };
  const timer =
    health &&
    setInterval(() => {
      for (const backend of backends) {
        void ask(backend.port, '/health/ready').then(({ status }) => (backend.healthy = status === 200));
      }
    }, health);

  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const tried = [];
    const attempt = () => {
      const backend = pick(tried);
      if (!backend) return outgoing.writeHead(503).end();
      tried.push(backend);
      const { connection: _, ...headers } = incoming.headers;
      const { method, url: path } = incoming;
      const call = request(
        { host: '127.0.0.1', port: backend.port, agent: backend.agent, method, path, headers },
        (answer) => {
          if (answer.statusCode === 503 && tried.length < backends.length) {
            counts.retried503++;
            answer.resume();
            suspect(backend);
            return attempt();
          }
          const { connection: _, 'keep-alive': __, ...rest } = answer.headers;
          outgoing.writeHead(answer.statusCode ?? 502, { ...rest, 'x-served-by': backend.port });
          answer.on('error', () => outgoing.destroy());
          return answer.pipe(outgoing);
        },
      );
      call.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        if (outgoing.headersSent) return outgoing.destroy();
        suspect(backend);
        if (error.code === 'ECONNREFUSED' && tried.length < backends.length) {
          counts.retriedRefused++;
          return attempt();
        }
        counts.lost++;
        return outgoing.writeHead(502, { 'x-cause': error.code ?? error.message }).end();
      });
      return call.end(body);
    };
    attempt();
  });
  // WebSockets: a process that refuses one with 503, or does not listen, is passed over.
  server.on('upgrade', (incoming, socket, head) => {
    const tried = [];
    const attempt = () => {
      const backend = pick(tried);
      if (!backend) return socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n');
      tried.push(backend);
      const call = request({ host: '127.0.0.1', port: backend.port, path: incoming.url, headers: incoming.headers });
      call.on('error', attempt);
      call.on('response', (answer) => {
        answer.resume();
        if (answer.statusCode === 503) return attempt();
        return socket.end(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\nConnection: close\r\n\r\n`);
      });
      call.on('upgrade', (answer, upstream, first) => {
        const lines = answer.rawHeaders.flatMap((name, n, all) => (n % 2 ? [] : [`${name}: ${all[n + 1]}`]));
        socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
        socket.write(first);
        upstream.write(head);
        for (const [one, other] of [
          [socket, upstream],
          [upstream, socket],
        ])
          one
            .on('error', () => other.destroy())
            .on('close', () => other.end())
            .pipe(other);
      });
      return call.end();
    };
    attempt();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    counts,
    healthy: (port) => backends.find((backend) => backend.port === port).healthy,
    stop() {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
      for (const { agent } of backends) agent.destroy();
    },
  };
}
