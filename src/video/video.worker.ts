import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { exitCodeOf } from '../platform/programs/index.js';
import type { FromThread, ToThread } from './video.messages.js';

/** As `nice` has it. */
const PRIORITY = 10;
// Whoever asks for text comes first. Elsewhere this is the priority of the whole process, and not of a thread.
if (process.platform === 'linux') setPriority(PRIORITY);

const port = parentPort!;
const waiting: ToThread[] = [];
let begin = (order: ToThread): void => void waiting.push(order);
port.on('message', (order: ToThread) => begin(order));

// The encoder's own module takes every error for the end of the process; and packages may not be installed.
const { Renderings } = await import('./renderings.js').catch((error: NodeJS.ErrnoException) =>
  process.exit(exitCodeOf(error)),
);
const renderings = new Renderings((message: FromThread) => {
  const bytes = 'piece' in message ? message.piece : 'whole' in message ? message.whole : undefined;
  port.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);
});
begin = (order) => renderings.add(order);
waiting.forEach(begin);
