/** Mutants of the modules whose mistakes would cost most. `npm run verify -- mutation` runs it, on a store that it starts. */
export default {
  testRunner: 'jest',
  jest: { configFile: 'config/jest.mutation.mjs', enableFindRelatedTests: false },
  plugins: ['@stryker-mutator/jest-runner'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 8000,
  // Each run of Jest leaves something in memory.
  maxTestRunnerReuse: 25,
  tempDirName: '.cache/stryker',
  ignorePatterns: ['.cache', 'bench', 'coverage', 'data', 'logs', 'docs'],
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.cache/mutation-${process.env.MUTATION_PART}.json` },
};
