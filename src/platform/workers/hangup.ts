let caught = false;
let heard = (): void => undefined;

/**
 * By default SIGHUP ends a process, at once and without a word. It is the supervisor's sign to replace its workers; every
 * other process of a service goes on, also while it still starts. Not done on import: a host application decides for itself.
 */
export function catchHangups(): void {
  if (!caught) process.on('SIGHUP', () => heard());
  caught = true;
}

/** Has this done whenever SIGHUP comes. */
export function onHangup(listener: () => void): void {
  heard = listener;
}
