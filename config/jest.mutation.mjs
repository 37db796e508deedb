import { shared } from './jest.mjs';

/** For `npm run verify -- mutation`: what asks of one part, in process. */
export default {
  ...shared,
  testTimeout: 30_000,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  watchman: false,
  testEnvironment: '<rootDir>/test/mutation/first-failure.environment.cjs',
  testMatch: [`<rootDir>/test/mutation/${process.env.MUTATION_PART ?? '*'}.mutation-spec.ts`],
};
