import { Doc, isDocument } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { isIndex } from '../values/paths.js';

type Holder = Record<string, any>;

/** The object or array that holds the last part. Created along the way if `create` is set. */
export function parentOf(doc: Doc, parts: string[], create: boolean): Holder | undefined {
  let at: any = doc;
  for (const [i, part] of parts.entries()) {
    if (Array.isArray(at) ? !isIndex(part) : !isDocument(at)) {
      if (!create) return undefined;
      throw new CommandError(
        'PathNotViable',
        `Cannot create field '${part}' in element {${parts[i - 1]}: ${JSON.stringify(at)}}`,
      );
    }
    if (Array.isArray(at) && create && Number(part) > at.length + 1_500_000)
      throw new CommandError('CannotBackfillArray', `cannot backfill an array to ${part} elements`);
    if (i === parts.length - 1) return at;
    if (!Object.hasOwn(at, part)) {
      if (!create) return undefined;
      put(at, part, {});
    }
    at = at[part];
  }
  return undefined;
}

/** @throws CommandError 28 if a value along the path cannot have the field. A path that merely ends early is fine. */
export function refuseUnviable(doc: Doc, parts: string[]): void {
  let at: unknown = doc;
  for (const part of parts) {
    if (at === undefined) return;
    if (Array.isArray(at) ? !isIndex(part) : !isDocument(at)) {
      throw new CommandError(
        'PathNotViable',
        `cannot use the part (${part} of ${parts.join('.')}) to traverse the element`,
      );
    }
    at = (at as Holder)[part];
  }
}

/** A gap in an array is filled with null. `__proto__` is an ordinary field. */
export function put(at: Holder, part: string, value: unknown): void {
  if (Array.isArray(at)) while (at.length < Number(part)) at.push(null);
  Object.defineProperty(at, part, { value, writable: true, enumerable: true, configurable: true });
}
