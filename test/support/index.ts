export { anOwner, aProject, aTurn, aUser } from './samples.js';
export { anyServer, onEachServer, type TestServer } from './servers.js';
export { type Answer, assertErrorBody, type Call, createTestApp, type TestApp, TestClock } from './test-app.js';
