/** The demo page and the widget, in a real browser: `npm run verify:page`. */
import config, { e2e } from './jest.config.mjs';

export default {
  ...config,
  maxWorkers: 1,
  testTimeout: 90_000,
  projects: [{ ...e2e, displayName: 'page', testMatch: ['<rootDir>/test/page/**/*.page-spec.ts'] }],
};
