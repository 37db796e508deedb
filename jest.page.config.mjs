/** The demo page and the widget, in a real browser: `npm run verify:page`. */
import config from './jest.config.mjs';

const e2e = config.projects.find(({ displayName }) => displayName === 'e2e');

export default {
  ...config,
  maxWorkers: 1,
  testTimeout: 90_000,
  projects: [{ ...e2e, displayName: 'page', testMatch: ['<rootDir>/test/page/**/*.page-spec.ts'] }],
};
