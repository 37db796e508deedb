import { shared } from './jest.config.mjs';

/** For `npm run verify:mutation`: what asks of one room, in process. */
export default {
  ...shared,
  testTimeout: 30_000,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  watchman: false,
  testMatch: [`<rootDir>/test/mutation/${process.env.MUTATION_ROOM ?? '*'}.mutation-spec.ts`],
};
