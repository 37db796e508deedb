export { startEmbeddedMongo } from './start.js';
export type { EmbeddedMongo, EmbeddedMongoOptions } from './server.js';
