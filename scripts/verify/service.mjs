/** The built service as a process of its own, for the scripts beside this one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const children = new Set();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));
process.on('SIGTERM', () => process.exit(143));

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A port that nothing listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts it with these settings and no others. Its warnings go to standard error, its other lines nowhere. */
export function spawnService(env) {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'warn', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  const ended = once(child, 'exit').finally(() => children.delete(child));
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listening on (http:\S+)/.exec(line)?.[1];
      if (url) return url;
      process.stderr.write(`${line}\n`);
    }
    throw new Error('The service ended before it listened');
  })();
  listening.catch(() => undefined); // whoever wants to know awaits it
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  return { child, listening, stop };
}
