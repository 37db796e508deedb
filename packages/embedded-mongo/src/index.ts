export { createEmbeddedMongo } from './start.js';
export type { EmbeddedMongo, EmbeddedMongoOptions } from './server.js';
