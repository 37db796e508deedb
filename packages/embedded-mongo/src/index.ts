export { createEmbeddedMongo } from './start.js';
export type { EmbeddedMongoOptions } from './server-address.js';
export type { EmbeddedMongo } from './server.js';
