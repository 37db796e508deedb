/** Reads one document that its parent sends, and ends. */
import { DocumentError } from './document.error.js';
import { parseDocument } from './document.js';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
const fail = (error: unknown) =>
  process.send!({ reason: error instanceof DocumentError ? error.message : 'is damaged' });
// From a library, outside what is awaited.
process.on('uncaughtException', fail);
process.once('message', ({ bytes, name }: { bytes: Uint8Array; name: string }) => {
  parseDocument(bytes, name).then((document) => process.send!({ document }), fail);
});
