/** The rules between modules and packages, checked by `npm run check -- architecture`. */
/** The folders of packages/dialogue/src. Each imports only from itself and those before it. */
const DIALOGUE = ['format', 'text', 'match', 'script', 'skills', 'conversation', 'care'];
const MODULE = '^src/(platform/[^/]+|[^/]+)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules and files depend on each other in one direction, by their types too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'modules-by-their-public-api',
      comment: 'A module imports another only through its index.ts.',
      severity: 'error',
      from: { path: MODULE, pathNot: '\\.spec\\.ts$' },
      to: { path: MODULE, pathNot: ['^src/$1/', '^src/(platform/[^/]+|[^/]+)/index\\.ts$'] },
    },
    {
      name: 'no-module-knows-the-application',
      comment: 'The application imports the modules, never the other way round.',
      severity: 'error',
      from: { path: MODULE, pathNot: '^src/(cli|testing)/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'platform-knows-no-feature',
      comment: 'Infrastructure is what the features stand on.',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/', pathNot: '^src/platform/' },
    },
    {
      name: 'config-stands-alone',
      severity: 'error',
      from: { path: '^src/platform/config/' },
      to: { path: '^src/', pathNot: '^src/platform/config/' },
    },
    {
      name: 'packages-do-not-know-the-service',
      severity: 'error',
      from: { path: '^packages/', pathNot: '\\.((e2e-|process-)?spec)\\.ts$' },
      to: { path: '^src/' },
    },
    {
      name: 'face-stands-alone',
      comment: 'The widget bundles it: how a face moves is the same there and in videos.',
      severity: 'error',
      from: { path: '^packages/video/src/face/', pathNot: '\\.spec\\.ts$' },
      to: { path: '.', pathNot: '^packages/video/src/face/' },
    },
    {
      name: 'videos-are-optional',
      comment: 'The service runs without the package, so it is loaded when it is needed.',
      severity: 'error',
      from: { path: '^(src|packages/(?!video/)[^/]+/src)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^packages/video/src/(?!face/)', dependencyTypesNot: ['dynamic-import', 'type-only', 'type-import'] },
    },
    {
      name: 'packages-by-their-name',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^packages/[^/]+/src/',
        pathNot: ['^packages/[^/]+/src/index\\.ts$', '^packages/runtime/src/processes/index\\.ts$'],
      },
    },
    {
      name: 'packages-know-no-framework',
      severity: 'error',
      from: {
        path: '^packages/(catalogue|command-line|errors|dialogue|embedded-mongo|knowledge|media|model-files|models|realtime|runtime|settings|video|webrtc)/src/',
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: '^node_modules/(@nestjs|mongoose|mongodb|fastify)' },
    },
    ...DIALOGUE.slice(0, -1).map((folder, index) => ({
      name: `dialogue-${folder}-stands-below-later-folders`,
      comment: 'The order of the folders is that of DIALOGUE.',
      severity: 'error',
      from: { path: `^packages/dialogue/src/${folder}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `^packages/dialogue/src/(${DIALOGUE.slice(index + 1).join('|')})/` },
    })),
    {
      name: 'only-repositories-use-mongoose',
      comment: 'Controllers and services know no database.',
      severity: 'error',
      from: { path: '\\.(controller|service)\\.ts$' },
      to: { path: '^node_modules/(mongoose|mongodb|@nestjs/mongoose)' },
    },
    {
      name: 'no-test-code-in-the-service',
      severity: 'error',
      from: { path: '^(src|packages/[^/]+/src)/', pathNot: '\\.(spec|contract)\\.ts$' },
      to: { path: ['^test/', '^examples/', '\\.spec\\.ts$'], pathNot: ['^packages/embedded-mongo/test/'] },
    },
    {
      name: 'nothing-undeclared',
      severity: 'error',
      from: {
        path: '^(src|packages/(catalogue|command-line|errors|dialogue|knowledge|media|model-files|models|realtime|runtime|settings|video|webrtc)/src)/',
        pathNot: '^packages/.*\\.spec\\.ts$',
      },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    {
      name: 'nothing-unresolvable',
      comment: 'The build of the widget bundles the source of the client.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^avatar-chat-client(/audio)?$' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
