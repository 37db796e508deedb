/** The programs that are measured: started, found listening, and what they have used of processor and memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export const SECRET = 'a secret of the benchmark, which guards nothing at all';
/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `node …`, waits until it prints what matches, and gives the match and the process. */
export async function start(args, env, pattern) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  let printed = '';
  const match = await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      if (printed === undefined) return;
      printed += chunk;
      const found = pattern.exec(printed);
      if (!found) return;
      printed = undefined;
      resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}`)));
  });
  return { child, match, pid: child.pid };
}

export async function stop({ child }) {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** A process and all that it has started. */
function family(pid) {
  const members = [pid];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (Number(stat(name)[1]) === pid) members.push(...family(Number(name)));
    } catch {
      // It has just ended.
    }
  }
  return members;
}

/** The fields of `/proc/PID/stat` after the name, which may hold anything. */
function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Processor time used so far, in milliseconds. */
export function cpu(pid) {
  return family(pid).reduce((sum, member) => {
    const fields = stat(member);
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Resident memory in MiB. */
export function resident(pid) {
  return family(pid).reduce((sum, member) => {
    const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/status`, 'utf8')) ?? [];
    return sum + Number(kib) / 1024;
  }, 0);
}
