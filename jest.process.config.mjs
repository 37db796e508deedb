/** What starts programs of this project, renders speech or videos, or waits for real time: `npm run test:process`. */
import config, { e2e } from './jest.config.mjs';

export default {
  ...config,
  // Each starts several programs: no more at a time than a small machine has processors.
  maxWorkers: 2,
  // A test that starts ten programs takes ten seconds on a quiet machine.
  testTimeout: 180_000,
  projects: [{ ...e2e, displayName: 'process', testMatch: ['<rootDir>/test/process/**/*.process-spec.ts'] }],
};
