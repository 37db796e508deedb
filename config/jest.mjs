import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * One configuration: its projects are the tiers of tests. `npm test` runs unit and e2e, `npm run test:all` stories and process as well;
 * scripts select the others. A spec that is named on the command line is found in whatever project it belongs to.
 *
 * Jest runs TypeScript and the ESM-only packages as CommonJS through SWC; types are checked by `npm run check`.
 */
const esmOnly = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  '@borewit',
  'content-disposition',
  'cookie',
  'jose',
  'mpg123-decoder',
  '@wasm-audio-decoders',
  '@eshaz/web-worker',
  'streaming-markdown',
  'marked',
  'htmlparser2',
  'dom(?:elementtype|handler|utils)',
  'dom-serializer',
  'entities',
];

/**
 * What modules look up most often: in the context of its own that Jest gives each file, a global is found by way of a proxy,
 * which took an eighth of the processor time. A package that declares one of these names itself cannot be loaded.
 */
const builtIn = (
  'Object Array Map Set WeakMap WeakSet Promise Symbol Error TypeError Number ' +
  'String Boolean Math JSON BigInt RegExp Uint8Array Reflect'
).split(' ');

const rootDir = fileURLToPath(new URL('..', import.meta.url));

export const shared = {
  rootDir,
  // Of all projects, so that what one has compiled is compiled for the others too.
  id: rootDir,
  sandboxInjectedGlobals: builtIn,
  // Else every file of all dependencies, and of .cache, is looked at.
  roots: ['<rootDir>/src', '<rootDir>/packages', '<rootDir>/test'],
  testEnvironment: 'node',
  transform: {
    '^.+\\.(m?js|ts)$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          // As tsconfig.json has it: a field without a value is a type and no more.
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
        },
        module: { type: 'commonjs' },
        // In a file beside the code, of which Jest reads and hashes all each time that it loads it.
        sourceMaps: true,
        inlineSourcesContent: false,
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!.*/node_modules/)(?!(${esmOnly.join('|')})/)`],
  // Each is looked for in this order.
  moduleFileExtensions: ['js', 'ts', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // As another package would import it.
    '^avatar-chat-service$': '<rootDir>/src/index.ts',
    '^avatar-chat-service/testing$': '<rootDir>/src/testing/index.ts',
    '^avatar-chat-runtime/processes$': '<rootDir>/packages/runtime/src/processes/index.ts',
    '^avatar-chat-client/audio$': '<rootDir>/packages/client/src/audio.ts',
    '^avatar-chat-([a-z-]+)$': '<rootDir>/packages/$1/src/index.ts',
  },
};

const alone = JSON.parse(readFileSync(new URL('../test/suites/alone.json', import.meta.url), 'utf8'));
/** Loading modules takes longer than most specs; unless some are named, those of a worker share one module registry. */
const named = process.argv.slice(2).some((argument) => /^[^-].*spec|^(test|src|packages)\//.test(argument));
/** Nest loads these packages if it finds them. The shipped programs are without; some stories test what has them. */
const withoutOptional = named
  ? shared
  : {
      ...shared,
      moduleNameMapper: {
        ...shared.moduleNameMapper,
        '^@nestjs/(microservices|websockets|platform-express)(/.*)?$': '<rootDir>/absent',
      },
    };
const rooted = (files) => files.map((file) => `<rootDir>/${file}`);
const onServers = {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
/** What is tested over HTTP, in process: the contract of the endpoints, and one story of each feature. */
const e2e = {
  ...withoutOptional,
  ...onServers,
  displayName: 'e2e',
  testMatch: rooted(named ? ['{test,packages}/**/*.e2e-spec.ts'] : ['test/suites/quick-*.suite.ts']),
};
/** All other stories. */
const stories = {
  ...shared,
  ...onServers,
  displayName: 'stories',
  // Those that are named are found in e2e.
  testMatch: rooted([named ? 'none' : 'test/suites/stories-*.suite.ts']),
};
const unit = {
  ...withoutOptional,
  displayName: 'unit',
  testMatch: rooted(named ? ['{src,packages}/**/*.spec.ts'] : ['test/suites/unit-*.suite.ts', ...alone]),
};

/** What starts programs of this project, renders speech or videos, or waits for real time. */
const process_ = {
  ...shared,
  ...onServers,
  displayName: 'process',
  testMatch: rooted([named ? '{test,packages}/**/*.process-spec.ts' : 'test/suites/process-*.suite.ts']),
};
/** The demo page and the widget, in a real browser: conversations take their time. */
const page = {
  ...shared,
  ...onServers,
  displayName: 'page',
  setupFilesAfterEnv: ['<rootDir>/test/page/retry.ts'],
  testMatch: rooted([named ? 'test/page/**/*.page-spec.ts' : 'test/suites/page-*.suite.ts']),
};
/** The models: many random runs, `RUNS` of them, from `SEED`. */
const model = {
  ...shared,
  displayName: 'model',
  testMatch: rooted(['test/model/**/*.model-spec.ts']),
};
/** Whether documentation, dependencies and public names are what the code says: part of `npm run check`. */
const lint = { ...shared, displayName: 'lint', testMatch: rooted(['test/lint/**/*.lint-spec.ts']) };

export default {
  rootDir: shared.rootDir,
  coverageProvider: 'v8',
  // End-to-end tests wait for most of their time, so there are more workers than processors on a small machine. `npm test`
  // gives each room for more young objects, of which V8 would else collect a few megabytes at a time.
  maxWorkers: 4,
  // A test that starts ten programs takes ten seconds on a quiet machine. A file does not set its own: it would be that of all
  // files of its suite.
  testTimeout: 240_000,
  testSequencer: '<rootDir>/test/support/suites-first.sequencer.mjs',
  collectCoverageFrom: [
    '{src,packages/{catalogue,command-line,errors,dialogue,embedded-mongo,knowledge,media,model-files,models,realtime,runtime,settings,video,webrtc}/src}/**/*.ts',
    '!**/*.spec.ts',
    '!src/**/*.contract.ts',
    // Types and no code.
    '!src/events/event.types.ts',
    '!packages/models/src/openai.server.ts',
    '!packages/realtime/src/session/session.ports.ts',
    '!packages/runtime/src/logging/part.logger.ts',
    // What only a process or thread of its own runs; the suite starts each, but coverage does not see it there.
    '!src/{main,cli}.ts',
    '!packages/runtime/src/workers/*.ts',
    '!packages/webrtc/src/{calls.process,peer.call,wrtc}.ts',
    '!packages/embedded-mongo/src/{main,worker}.ts',
    '!packages/media/src/espeak/{espeak.worker,espeak.synthesizer}.ts',
  ],
  coverageReporters: ['text-summary', 'lcov'],
  // What only the tests of processes run does not count.
  coverageThreshold: {
    // What is not named below.
    global: { lines: 92, branches: 93 },
    // By its own specs alone: the end-to-end suite asks it in a process of its own, which does not count.
    './packages/embedded-mongo/src/': { lines: 98, branches: 95 },
    './src/auth/': { lines: 100, branches: 100 },
    './src/catalogue/': { lines: 100, branches: 100 },
    './src/chat/': { lines: 100, branches: 99 },
    './packages/catalogue/src/': { lines: 100, branches: 100 },
    './packages/realtime/src/': { lines: 100, branches: 100 },
    './src/live/': { lines: 100, branches: 100 },
  },
  reporters: ['default', '<rootDir>/test/support/servers.reporter.mjs', '<rootDir>/test/support/logs.reporter.mjs'],
  projects: [unit, e2e, stories, process_, page, model, lint],
};
