/** The demo page and the widget, in a real browser: `npm run verify:page`. */
import config, { e2e, named } from './jest.config.mjs';

export default {
  ...config,
  // Conversations take their time, in which the processors rest.
  maxWorkers: 2,
  testTimeout: 90_000,
  projects: [
    {
      ...e2e,
      displayName: 'page',
      testMatch: [`<rootDir>/test/${named ? 'page/**/*.page-spec.ts' : 'suites/page-*.suite.ts'}`],
    },
  ],
};
