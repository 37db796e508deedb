export { BEHAVIOUR_NAMES, type HostilePeer, startHostilePeer } from './hostile-peer.js';
export { aMongoProxy, type MongoFault, type MongoProxy } from './mongo-proxy.js';
export { BOUNDED } from './bounded-commands.js';
export { aProxy, type Proxy } from './proxy.js';
export {
  type Answer,
  anOwner,
  aProject,
  assertErrorBody,
  aTurn,
  aUser,
  type Call,
  type TestApp,
  TestClock,
} from '../../src/testing/index.js';
export { aRecording } from './samples.js';
export { anyServer, onEachServer, type TestServer } from './servers.js';
export { createTestApp, oneAppPerServer, storedMessages } from './test-app.js';
export { EventReader } from './event-reader.js';
export { type Receiver, startReceiver } from './receiver.js';
export { parseAnswer, rawAnswers, rawRequest } from './raw-http.js';
export { freePort, printed, run, type Running, type Service, startDatabase, startService } from './processes.mjs';
export { type OidcProvider, startOidcProvider } from './oidc-provider.js';
