import assert from 'node:assert/strict';
import { withTimeout as limited } from 'avatar-chat-runtime';
import type { KindEntry } from 'avatar-chat-catalogue';
import type { Replaceable } from '../platform/extension-points/index.js';

/** How soon after its signal is aborted a part has to end, in milliseconds. */
const ABORT_BOUND_MS = 5000;

interface Runner {
  describe(name: string, tests: () => void): void;
  it(name: string, test: () => Promise<void>, timeout?: number): void;
}

/** Globals of Jest or another runner: this file is published, and must not depend on one. */
export function testRunner(): Runner {
  return globalThis as unknown as Runner;
}

/** What every replaceable part must do with the entry that selects it. */
export function assertTakesEntry(part: Replaceable, entry: KindEntry): void {
  assert.equal(part.kind, entry.kind);
  assert.match(part.kind, /^[a-z][a-z0-9_-]{0,63}$/);
  assert.deepEqual(part.validate?.(entry), []);
}

/** Fails unless aborted work ends soon, with or without an error. */
export async function assertEndsSoon(work: Promise<unknown>): Promise<void> {
  await withTimeout(work.catch(() => undefined));
}

/** Fails unless work succeeds soon. */
export function withTimeout<T>(work: Promise<T>): Promise<T> {
  return limited(work, ABORT_BOUND_MS, () => new Error(`it took longer than ${ABORT_BOUND_MS} ms`));
}
