/** The metadata of what needs no token of ours: it is `@Public()`, or has a guard of its own. */
export const IS_PUBLIC = Symbol('IS_PUBLIC');

/** Whether a class or a handler is marked so. */
export function isPublic(target: object): boolean {
  return Reflect.getMetadata(IS_PUBLIC, target) === true;
}
