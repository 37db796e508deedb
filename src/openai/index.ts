export { OpenAiModule } from './openai.module.js';
export { OpenAiRealtime } from './openai.realtime.js';
export { type OpenAiCall, OpenAiServers } from './openai.servers.js';
