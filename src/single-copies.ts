/**
 * The first import of every entry point: with a second copy of Mongoose, the imports after it throw already.
 */
import { findSecondCopy } from './platform/config/second-copy.js';

const fault = findSecondCopy();
if (fault !== undefined) {
  // Thrown during an import, an error would come with Node's lines about the module loader.
  console.error(fault);
  process.exit(1);
}
