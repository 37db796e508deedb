export { type ClientLimits, MissingKeyError, type OpenAiServer, OpenAiServers } from './openai.servers.js';
export { type Refusal, REFUSALS, refusalOf } from './outgoing.address.js';
export { type OutgoingCall, OutgoingError, OutgoingHttp } from './outgoing.http.js';
export { OutgoingModule } from './outgoing.module.js';
export { type FieldRule, textRule } from './provider.entry.js';
