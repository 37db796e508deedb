import { startThread } from '../platform/programs/index.js';
import type { FromThread, ToThread } from './video.messages.js';

/** The thread that renders. */
export interface VideoThread {
  send(order: ToThread): void;
  /** Whether it is a reason for this process to stay. */
  hold(isBusy: boolean): void;
  end(): Promise<unknown>;
}

export type StartVideoThread = (
  onMessage: (message: FromThread) => void,
  onEnd: (code: number | null) => void,
) => VideoThread;

/** Of V8 in it, whose own objects are few and small: by default it would take some 40 MB more for new ones. */
const LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * A thread and not a process: its pieces are handed over without copying, and its memory, about 200 MB at work, goes back
 * when it ends. What it runs is WebAssembly, which cannot take the service down with it.
 *
 * @param file compiled
 */
export function videoThread(file: URL): StartVideoThread {
  return (onMessage, onEnd) => {
    const worker = startThread(file, LIMITS);
    worker.on('message', onMessage);
    worker.on('error', () => undefined); // its exit follows
    worker.on('exit', onEnd);
    return {
      send: (order) => worker.postMessage(order, [order.sound.buffer as ArrayBuffer]),
      hold: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
      end: () => worker.terminate(),
    };
  };
}
