import { LiveController } from './live.controller.js';

it('an application without HTTP, as that of the command line, has no live mode', () => {
  const none = {} as never;
  expect(() => new LiveController({} as never, none, none, none).onModuleInit()).not.toThrow();
});
