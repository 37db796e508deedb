export { LONGEST_OPERATION_MS } from './bounded-client.js';
export { Database, DatabaseTimeouts } from './database.js';
export { DatabaseUnavailableError, isDatabaseUnavailable } from './database-unavailable.js';
export { DatabaseRefusedError } from './database-refused.js';
export { DUPLICATE_KEY, isDuplicateKey } from './duplicate-key.js';
export { DatabaseCopy } from './database.copy.js';
export { DatabaseModule } from './database.module.js';
export { type FoundBytes } from './find-bytes.js';
export { newId } from './new-id.js';
