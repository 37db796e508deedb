import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { exitCodeOf } from 'avatar-chat-runtime/processes';
import type { FromThread, ToThread } from './video.messages.js';

/** A `nice` value. */
const PRIORITY = 10;
// Requests for text have priority. On other systems this sets the priority of the whole process, not of a thread.
if (process.platform === 'linux') setPriority(PRIORITY);

const port = parentPort!;
const waiting: ToThread[] = [];
let begin = (message: ToThread): void => void waiting.push(message);
port.on('message', (message: ToThread) => begin(message));

// The encoder's module exits the process on every error; and packages may not be installed.
const { Renderings } = await import('./renderings.js').catch((error: NodeJS.ErrnoException) =>
  process.exit(exitCodeOf(error)),
);
const renderings = new Renderings((message: FromThread) => {
  const bytes = 'piece' in message ? message.piece : 'whole' in message ? message.whole : undefined;
  port.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);
});
begin = (message) => renderings.add(message);
waiting.forEach(begin);
