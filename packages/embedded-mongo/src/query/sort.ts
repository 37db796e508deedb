import { Doc, isDocument, toNumber } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { compare } from '../values/order.js';

export type Sort = [path: string, order: number][];

/** @throws CommandError 15974 or 15975 if a direction is neither 1 nor -1. */
export function sortOf(sort: Doc): Sort {
  return Object.entries(sort).map(([path, order]) => {
    if (isDocument(order) && '$meta' in order) throw new CommandError('BadValue', 'text search is not supported');
    const direction = toNumber(order);
    if (Number.isNaN(direction)) throw new CommandError(15974, `Illegal key in $sort specification: ${path}`);
    if (direction !== 1 && direction !== -1)
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    return [path, direction];
  });
}

/** Compares two rows by their keys, which are in the order of the sort. */
export const byKeys =
  (sort: Sort) =>
  (a: unknown[], b: unknown[]): number => {
    for (const [i, [, direction]] of sort.entries()) {
      const here = compare(a[i], b[i]) * direction;
      if (here) return here;
    }
    return 0;
  };
