/** Test utilities for modules. Published as `avatar-chat-service/testing`. */
import '../single-copies.js';

export { engineContract } from './engine.contract.js';
export { fileStoreContract } from './file-store.contract.js';
export { type ModelAnswer, type ModelRequest, ModelStub } from './model.stub.js';
export { anOwner, aProject, aTurn, aUser } from './samples.js';
export { speakerContract } from './speaker.contract.js';
export {
  type Answer,
  assertErrorBody,
  type Call,
  createTestApp,
  type TestApp,
  type TestAppOptions,
} from './test-app.js';
export { TestClock } from './test-clock.js';
export { tokenVerifierContract, type VerifierSample } from './token-verifier.contract.js';
export { transcriberContract } from './transcriber.contract.js';
