import { CommandError } from './errors.js';

/** Runs something of the aggregation library. @throws CommandError 2 for an error of the library's own. */
export function evaluated<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError('BadValue', (error as Error).message);
  }
}
