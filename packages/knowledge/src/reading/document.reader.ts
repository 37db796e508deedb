import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { ReadDocument } from './document.js';
import { DocumentError } from './document.error.js';

const TIMEOUT_MS = 20_000;
const HEAP_MB = 384;
/** Memory of the whole process, most of which a document may unpack; checked where the system tells it. */
const MEMORY_MB = 768;
const CHECK_MS = 50;
const PAGE_BYTES = 4096;

/**
 * Reads a document in a process of its own, within limits of time and memory.
 *
 * @param name of the file
 * @throws DocumentError if it cannot be read
 */
export async function readDocument(bytes: Uint8Array, name: string, timeoutMs = TIMEOUT_MS): Promise<ReadDocument> {
  const program = [new URL('reader.process.js', import.meta.url), builtProgram()].find((url) => url && existsSync(url));
  const child = fork(program!, [], {
    env: {},
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let checks: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ReadDocument>((resolve, reject) => {
      const refuse = (reason: string) => reject(new DocumentError(reason));
      child.on('message', ({ document, reason }: { document?: ReadDocument; reason?: string }) =>
        document ? resolve(document) : refuse(reason ?? 'is damaged'),
      );
      child.on('error', reject);
      child.on('exit', () => refuse('cannot be read: it needs too much memory'));
      timer = setTimeout(() => refuse('cannot be read: it takes too long'), timeoutMs);
      checks = setInterval(() => {
        if (memoryOf(child) > MEMORY_MB * 1024 * 1024) refuse('cannot be read: it needs too much memory');
      }, CHECK_MS);
      child.send({ bytes, name });
    });
  } finally {
    clearTimeout(timer);
    clearInterval(checks);
    child.kill('SIGKILL');
  }
}

/** Under Jest, this file is TypeScript, and the program is in the build output. */
function builtProgram(): URL | undefined {
  const parts = import.meta.url.split('/');
  const at = parts.lastIndexOf('src');
  return at < 0
    ? undefined
    : new URL([...parts.slice(0, at), 'dist', ...parts.slice(at + 1, -1), 'reader.process.js'].join('/'));
}

/** Resident memory in bytes; 0 if the system does not tell. */
function memoryOf({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
