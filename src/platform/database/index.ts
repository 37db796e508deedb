export { Database, Patience } from './database.js';
export { DatabaseAwayError, isDatabaseAway } from './database-away.js';
export { DatabaseRefusedError } from './database-refused.js';
export { DUPLICATE_KEY, isDuplicateKey } from './duplicate-key.js';
export { DatabaseModule } from './database.module.js';
export { type FoundBytes } from './find-bytes.js';
