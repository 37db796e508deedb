import { compiledProgram, startThread } from 'avatar-chat-runtime/processes';
import type { FromThread, ToThread } from './video.messages.js';

export interface VideoWorkerClient {
  send(message: ToThread): void;
  /** Whether it keeps this process alive. */
  setBusy(isBusy: boolean): void;
  terminate(): Promise<unknown>;
}

export type StartVideoWorker = (
  onMessage: (message: FromThread) => void,
  onEnd: (code: number | null) => void,
) => VideoWorkerClient;

/** V8 limits for it: its own objects are few and small, and by default V8 would take some 40 MB more for new ones. */
const LIMITS = { maxYoungGenerationSizeMb: 4 };

/**
 * A thread rather than a process: its pieces are transferred without copying, and its memory, about 200 MB at work, is
 * released when it ends. It runs WebAssembly, which cannot crash the service.
 *
 * @returns undefined if it is not compiled
 */
export function videoWorkerClient(): StartVideoWorker | undefined {
  const file = compiledProgram(new URL('video.worker.js', import.meta.url));
  if (!file) return undefined;
  return (onMessage, onEnd) => {
    const worker = startThread(file, LIMITS);
    worker.on('message', onMessage);
    worker.on('exit', onEnd);
    return {
      send: (message) => worker.postMessage(message, 'sound' in message ? [message.sound.buffer as ArrayBuffer] : []),
      setBusy: (isBusy) => (isBusy ? worker.ref() : worker.unref()),
      terminate: () => worker.terminate(),
    };
  };
}
