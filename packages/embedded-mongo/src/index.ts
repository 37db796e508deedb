export { createEmbeddedMongo } from './start.js';
export type { EmbeddedMongoOptions } from './server/server-address.js';
export type { EmbeddedMongo } from './server/server.js';
