export { createEmbeddedMongo } from './start.js';
export type { EmbeddedMongoOptions } from './place.js';
export type { EmbeddedMongo } from './server.js';
