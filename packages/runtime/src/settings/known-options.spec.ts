import { assertKnownOptions, assertModules } from './known-options.js';

it.each([undefined, null, 'settings', [1]])('rejects %p as options, naming the fault', (options) => {
  expect(() => assertKnownOptions('forRoot()', options, ['prefix', 'modules'])).toThrow(
    'forRoot(): expected an object that may have prefix, modules.',
  );
});

class RatingsModule {}

it.each([
  [RatingsModule, 'runService() takes an array of modules, such as [RatingsModule].'],
  [[RatingsModule, undefined], 'runService(): module 2 is undefined; its file may import this one in a circle.'],
])('rejects invalid modules: %p', (modules, message) => {
  expect(() => assertModules('runService()', modules)).toThrow(message);
});

it('leaves other checks of modules to Nest', () => {
  expect(() => assertModules('runService()', [RatingsModule, { module: RatingsModule }])).not.toThrow();
});
