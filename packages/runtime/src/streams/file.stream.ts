import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** How long a client may read nothing while data is waiting, in milliseconds. */
const STALL_LIMIT_MS = 30_000;

/**
 * Sends a file while it is made. A client that stops reading is disconnected, so that it can tell the file is incomplete.
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
  // No listener for the response's close, which has so many that Node would warn of a leak; the connection is closed
  // then as well.
  response.once('finish', moved);
  return Readable.from(watched(), { objectMode: false, highWaterMark: 1 });
}
