/** What the programs in Node share: see common.py. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const { BASE = '', TOKEN = '', AVATAR = '', SOUNDS = '' } = process.env;
export { AVATAR, BASE, TOKEN };
export const WS = BASE.replace('http', 'ws');
const RATE = 24_000;
const PIECE_MS = 20;
const PIECE = (RATE * 2 * PIECE_MS) / 1000;

/** @param {string} name @param {unknown} ok @param {unknown} [detail] */
export const step = (name, ok, detail = '') =>
  console.log(JSON.stringify({ step: name, ok: Boolean(ok), detail: JSON.stringify(detail)?.slice(0, 400) }));

/** What `found` returns as soon as it is something. @template T @param {() => T} found */
export async function until(found, seconds = 30) {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(20)) {
    const result = found();
    if (result) return result;
  }
  return undefined;
}

/** A microphone that never stops. @param {(piece: Buffer) => void} send */
export function openMicrophone(send) {
  let queue = Buffer.alloc(0);
  const timer = setInterval(() => {
    const piece = Buffer.alloc(PIECE);
    queue.copy(piece, 0, 0, PIECE);
    queue = queue.subarray(PIECE);
    send(piece);
  }, PIECE_MS);
  return {
    say: (/** @type {string} */ name) => void (queue = readFileSync(join(SOUNDS, `${name}.pcm`))),
    stop: () => clearInterval(timer),
  };
}
