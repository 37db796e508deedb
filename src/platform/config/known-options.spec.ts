import { demandKnown, demandModules } from './known-options.js';

it.each([undefined, null, 'settings', [1]])('options that are %p are refused by their name', (options) => {
  expect(() => demandKnown('forRoot()', options, ['prefix', 'modules'])).toThrow(
    'forRoot(): expected an object that may have prefix, modules.',
  );
});

class RatingsModule {}

it.each([
  [RatingsModule, 'runService() takes an array of modules, such as [RatingsModule].'],
  [[RatingsModule, undefined], 'runService(): module 2 is undefined; its file may import this one in a circle.'],
])('modules that are none are refused: %p', (modules, message) => {
  expect(() => demandModules('runService()', modules)).toThrow(message);
});

it('what modules can be is left to Nest', () => {
  expect(() => demandModules('runService()', [RatingsModule, { module: RatingsModule }])).not.toThrow();
});
