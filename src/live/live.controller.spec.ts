import { LiveController } from './live.controller.js';

it("an application without HTTP, such as the command line's, has no live mode", () => {
  const none = {} as never;
  expect(() => new LiveController({} as never, none, none, none, none, none).onModuleInit()).not.toThrow();
});
