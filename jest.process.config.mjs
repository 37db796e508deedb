/** What starts programs of this project, or waits for real time: `npm run test:process`. */
import config, { e2e } from './jest.config.mjs';

export default {
  ...config,
  // Most of these tests wait, so there is one worker more than there are processors on a small machine.
  maxWorkers: 3,
  projects: [{ ...e2e, displayName: 'process', testMatch: ['<rootDir>/test/process/**/*.process-spec.ts'] }],
};
