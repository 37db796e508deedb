import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** How long a client may take nothing of what waits for it, in milliseconds. */
const STALL_LIMIT_MS = 30_000;

/**
 * What is sent of a video while it is rendered. A client that stops reading is cut off, so that it can tell.
 *
 * @param stallLimit milliseconds
 */
export function streamedTo(
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  stallLimit = STALL_LIMIT_MS,
): Readable {
  const { socket } = response;
  let timer: NodeJS.Timeout | undefined;
  const moved = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const stalled = () => (timer ??= setTimeout(() => socket?.destroy(), stallLimit).unref());
  async function* watched(): AsyncGenerator<Uint8Array, void> {
    for await (const piece of pieces) {
      if (response.writableNeedDrain) stalled();
      yield piece;
    }
    if (response.writableNeedDrain) stalled();
  }
  response.on('drain', moved);
  // Not to its closing, to which so many listen that Node warns of a leak: then the connection is gone as well.
  response.once('finish', moved);
  return Readable.from(watched(), { objectMode: false, highWaterMark: 1 });
}
