/** The rules of the rooms, checked by `npm run check:architecture`. */
const ROOM = '^src/([^/]+)/';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Rooms and files depend on each other in one direction.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'rooms-by-their-door',
      comment: 'A room imports another only through its index.ts.',
      severity: 'error',
      from: { path: ROOM, pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/[^/]+/', pathNot: ['^src/$1/', '^src/[^/]+/index\\.ts$'] },
    },
    {
      name: 'no-room-knows-the-application',
      comment: 'What stands above the rooms imports them, never the other way round.',
      severity: 'error',
      from: { path: ROOM, pathNot: '^src/(cli|testing)/' },
      to: { path: '^src/[^/]+\\.ts$' },
    },
    {
      name: 'config-and-embedded-mongo-stand-alone',
      severity: 'error',
      from: { path: '^src/(config|embedded-mongo)/' },
      to: { path: '^src/', pathNot: '^src/$1/' },
    },
    {
      name: 'embedded-mongo-knows-no-framework',
      severity: 'error',
      from: { path: '^src/embedded-mongo/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^node_modules/(@nestjs|mongoose|mongodb|fastify)' },
    },
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
      from: { path: '^src/', pathNot: '\\.(spec|contract)\\.ts$' },
      to: { path: ['^test/', '^examples/', '\\.spec\\.ts$'] },
    },
    {
      name: 'nothing-undeclared',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'] },
    },
    { name: 'nothing-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
