import type { FactoryProvider } from '@nestjs/common';

type Class = abstract new (...args: never[]) => unknown;
type Instances<Classes extends readonly Class[]> = {
  -readonly [Index in keyof Classes]: Classes[Index] extends abstract new (...args: never[]) => infer T ? T : never;
};

/**
 * Provides a class of a package, which has no decorators.
 *
 * @param inject the providers that its constructor takes, in order
 * @param more what it takes after them
 */
export function provideClass<const Classes extends readonly Class[], More extends unknown[], T>(
  type: new (...parts: [...Instances<Classes>, ...More]) => T,
  inject: Classes,
  ...more: More
): FactoryProvider<T> {
  return {
    provide: type,
    inject: [...inject],
    useFactory: (...parts: Instances<Classes>) => new type(...parts, ...more),
  };
}
