export { Database, Patience } from './database.js';
export { DatabaseAwayError, isDatabaseAway } from './database-away.js';
export { DatabaseModule } from './database.module.js';
