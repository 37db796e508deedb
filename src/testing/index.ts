/** What tests of modules need. `avatar-chat-service/testing` to other packages. */
export { anOwner, aProject, aTurn, aUser } from './samples.js';
export {
  type Answer,
  assertErrorBody,
  type Call,
  createTestApp,
  type TestApp,
  type TestAppOptions,
} from './test-app.js';
export { TestClock } from './test-clock.js';
