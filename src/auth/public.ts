/** Metadata of what needs no token of ours: marked `@Public()`, or protected by its own guard. */
export const IS_PUBLIC = Symbol('IS_PUBLIC');

/** Whether a class or a handler is marked this way. */
export function isPublic(target: object): boolean {
  return Reflect.getMetadata(IS_PUBLIC, target) === true;
}
