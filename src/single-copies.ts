/** The first import of every entry point: with a second copy of Mongoose, later imports would throw. */
import { findSecondCopy } from './platform/config/second-copy.js';

const fault = findSecondCopy();
if (fault !== undefined) {
  const error = new Error(fault);
  // Can be caught by the importer. Otherwise, Node would print some ten lines about the module loader.
  process.on('uncaughtExceptionMonitor', (uncaught) => {
    if (uncaught !== error || process.listenerCount('uncaughtException') > 0) return;
    console.error(fault);
    process.exit(1);
  });
  throw error;
}
