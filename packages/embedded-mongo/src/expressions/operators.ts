import { summaries } from '../pipeline/accumulators.js';
import { arithmetic } from './arithmetic.js';
import { arrays } from './arrays.js';
import { logic } from './logic.js';
import { objects } from './objects.js';
import type { Operator } from './operator.js';
import { strings } from './strings.js';

/** All supported expression operators. Any other is rejected by name. */
export const operators: Record<string, Operator> = {
  ...arithmetic,
  ...arrays,
  ...logic,
  ...objects,
  ...strings,
  ...summaries,
};
