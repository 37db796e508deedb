import { type EmbeddedMongo, createEmbeddedMongo } from 'avatar-chat-embedded-mongo';
import { loggerOf } from '../logging/index.js';

interface Begun {
  path: string;
  store: Promise<EmbeddedMongo>;
}

let begun: Begun | undefined;

/**
 * Starts the store's thread in parallel with other work, such as loading modules. {@link startEmbeddedStore} then waits
 * for it, and throws its error.
 */
export function beginEmbeddedStore(path: string): void {
  begun = { path, store: start(path) };
  // Thrown by whoever awaits it.
  begun.store.catch(() => undefined);
}

/** The store at a path: the one that was started ahead, which only the first caller gets, or a new one. */
export function startEmbeddedStore(path: string): Promise<EmbeddedMongo> {
  const store = begun?.path === path ? begun.store : start(path);
  begun = undefined;
  return store;
}

function start(path: string): Promise<EmbeddedMongo> {
  return createEmbeddedMongo({ path, warn: (message) => loggerOf('EmbeddedStore').warn(message) });
}
