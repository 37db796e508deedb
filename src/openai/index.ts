export { MissingKeyError, reasonOf } from './openai.errors.js';
export { OpenAiModule } from './openai.module.js';
export { type OpenAiCall, type OpenAiServer, OpenAiServers } from './openai.servers.js';
