/** Sends an hour of audio as fast as the service accepts it, next to another session and text requests. */
import { proportional } from '../../../bench/usage.mjs';
import { tokenOf } from '../harness.mjs';
import { LiveClient } from './client.mjs';
import { textsMeanwhile } from './measure.mjs';

const PCMU = { type: 'audio/pcmu' };
const SECOND = 8000;
/** The audio per message, and the limit of buffered audio in the socket. */
const [PIECE, WAITING] = [5 * SECOND, 60 * SECOND];

/**
 * @param {{ port: number, pid: number }} service
 * @param {number} seconds of audio
 */
export async function flood({ port, pid }, seconds) {
  const url = `ws://127.0.0.1:${port}/v1/realtime?model=ada&language_code=en`;
  const open = async (/** @type {string} */ user) => {
    const client = await LiveClient.open(url, await tokenOf(port, user));
    await client.until('session.created');
    return client;
  };
  /** The latency of a session event, in milliseconds. @param {LiveClient} client */
  const answers = async (client) => {
    const since = performance.now();
    client.send('session.update', { session: { type: 'realtime', audio: { input: {} } } });
    return (await client.until('session.updated', since)).at - since;
  };
  const [client, other] = [await open('flood'), await open('other')];
  client.send('session.update', { session: { type: 'realtime', audio: { input: { format: PCMU } } } });
  await client.until('session.updated');
  const before = proportional(pid);
  let [isOver, peak, slowest] = [false, before, 0];
  const texts = textsMeanwhile(port, () => isOver);
  const began = performance.now();
  // Alternating extremes: neither silence nor words.
  const piece = Buffer.alloc(PIECE, Buffer.from([0x00, 0x80]));
  for (let sent = 0; sent < seconds * SECOND; sent += PIECE) {
    client.socket.send(piece);
    while (client.socket.bufferedAmount > WAITING) {
      slowest = Math.max(slowest, await answers(other));
      peak = Math.max(peak, proportional(pid));
    }
  }
  await answers(client);
  const took = performance.now() - began;
  isOver = true;
  const faults = [client, other].flatMap((one) => one.faults);
  for (const one of [client, other]) one.socket.close();
  return { took, grownMiB: peak - before, slowest, slowestText: Math.max(...(await texts)), faults };
}
