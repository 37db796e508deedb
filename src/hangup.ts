let caught = false;
let heard = (): void => undefined;

/**
 * By default SIGHUP silently kills a process. The supervisor uses it to replace its workers; every other process of a
 * service ignores it, even during startup. Not done on import: a host application decides for itself.
 */
export function catchHangups(): void {
  if (!caught) process.on('SIGHUP', () => heard());
  caught = true;
}

/** Registers a handler for SIGHUP. */
export function onHangup(listener: () => void): void {
  heard = listener;
}
