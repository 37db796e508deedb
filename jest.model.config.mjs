import { shared } from './jest.config.mjs';

/** The models: many random runs, `RUNS` of them, from `SEED`. Not part of `npm test`. */
export default {
  ...shared,
  testMatch: ['<rootDir>/test/model/**/*.model-spec.ts'],
  testTimeout: 7_200_000,
  maxWorkers: 1,
  // Listeners and timers of two whole services.
  forceExit: true,
};
