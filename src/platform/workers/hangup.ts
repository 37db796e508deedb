/**
 * Imported first by `main.ts`: by default SIGHUP ends a process, at once and without a word. It is the supervisor's sign to
 * replace its workers; every other process goes on, also while it still starts.
 */
let heard = (): void => undefined;
process.on('SIGHUP', () => heard());

/** Has this done whenever SIGHUP comes. */
export function onHangup(listener: () => void): void {
  heard = listener;
}
