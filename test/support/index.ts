export { aProxy, type Fault, type Proxy } from './proxy.js';
export { anOwner, aProject, aRecording, aTurn, aUser } from './samples.js';
export { anyServer, onEachServer, type TestServer } from './servers.js';
export { type Answer, assertErrorBody, type Call, createTestApp, type TestApp, TestClock } from './test-app.js';
export { type Received, type Receiver, startReceiver } from './receiver.js';
export { parseAnswer, rawAnswers, rawRequest } from './raw-http.js';
export { printed, run, type Running, type Service, startDatabase, startService } from './processes.js';
