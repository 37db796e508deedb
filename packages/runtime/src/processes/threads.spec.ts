import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { keepHeapSmall } from '../workers/small-heap.js';
import { startThread } from './threads.js';

const flags: string[] = [];
jest.mock('node:v8', () => ({
  ...jest.requireActual<typeof import('node:v8')>('node:v8'),
  setFlagsFromString: (flag: string) => void flags.push(flag),
}));

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'threads-'))));
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => flags.splice(0));

const thread = () => {
  const file = join(directory, 'thread.mjs');
  writeFileSync(file, '');
  return startThread(pathToFileURL(file), {});
};

/** Waits for any new thread, which Node reports on the real `process`, not on Jest's copy. */
const begun = () => {
  const worker = new Worker('', { eval: true });
  (process as NodeJS.EventEmitter).emit('worker', worker);
  return once(worker, 'exit');
};

const [NOT_CONCURRENTLY, CONCURRENTLY] = ['--no-concurrent-recompilation', '--concurrent-recompilation'];
const [FIXED, GROWING] = [1, 2].map((factor) => `--semi-space-growth-factor=${factor}`);

it('code is compiled by the thread itself, and by compiler threads again once the last starting thread is up', async () => {
  await Promise.all([thread(), thread()].map((worker) => once(worker, 'exit')));
  expect(flags).toEqual([NOT_CONCURRENTLY, CONCURRENTLY]);
});

it('code is compiled by compiler threads again if the thread cannot be started', () => {
  expect(() => startThread(new URL('https://example.org/thread.mjs'), {})).toThrow('file');
  expect(flags).toEqual([NOT_CONCURRENTLY, CONCURRENTLY]);
});

it('the heap is kept small until the last caller releases it, even when a thread has started', async () => {
  const [first, second] = [keepHeapSmall(), keepHeapSmall()];
  first();
  first();
  flags.splice(0);
  await begun();
  expect(flags).toContain(FIXED);
  expect(flags).not.toContain(GROWING);
  second();
  expect(flags.slice(-2)).toEqual([GROWING, '--heap-growing-percent=75']);
  flags.splice(0);
  await begun();
  expect(flags).toEqual([GROWING, '--heap-growing-percent=75']);
});

it('the old generation is collected more often only as long as a caller asks for it', () => {
  const [young, old] = [keepHeapSmall(), keepHeapSmall(true)];
  expect(flags.slice(-2)).toEqual([FIXED, '--heap-growing-percent=25']);
  old();
  old();
  expect(flags.slice(-2)).toEqual([FIXED, '--heap-growing-percent=75']);
  young();
  expect(flags.slice(-2)).toEqual([GROWING, '--heap-growing-percent=75']);
});
