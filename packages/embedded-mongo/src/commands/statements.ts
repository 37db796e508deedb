import { Doc, MAX_BATCH, isDocument } from '../values/bson.js';
import { type ServerState, deadlineOf } from '../server/server-state.js';
import { CommandError, codes } from '../wire/errors.js';
import { LATER, Slice, WRITE_SLICE_MS } from '../server/slice.js';

/** How to run the statements of a write command. */
export interface Statements<T> {
  /** The field that contains them. */
  list: 'documents' | 'updates' | 'deletes';
  /** Runs one within a write transaction. Returns `LATER`, having changed nothing, if it would take too long for that. */
  run(statement: any, index: number): T | typeof LATER;
  /** Runs a long one, in transactions of its own. */
  runLong?(statement: any, index: number): Promise<T>;
  /** They free disk space. */
  removes?: boolean;
}

interface Part<T> {
  done: T[];
  errors: Doc[];
  /** The first statement that has not run yet. */
  next: number;
  stop: boolean;
  long: boolean;
}

/**
 * Runs the statements of a write command, in as many transactions as necessary, so that other commands can run in between.
 * An error ends an ordered batch and becomes a write error.
 */
export async function runStatements<T>(
  state: ServerState,
  body: Doc,
  { list, run, runLong, removes }: Statements<T>,
): Promise<{ done: T[]; errors: Doc }> {
  const statements = statementsOf(body, list);
  const ordered = body.ordered !== false;
  const deadline = deadlineOf(body);
  const done: T[] = [];
  const writeErrors: Doc[] = [];
  const part = (from: number): Part<T> => {
    const slice = new Slice(WRITE_SLICE_MS);
    const result: Part<T> = { done: [], errors: [], next: from, stop: false, long: false };
    for (; result.next < statements.length && !result.stop; result.next++) {
      if (result.next > from && slice.over()) break;
      try {
        const outcome = run(statements[result.next], result.next);
        if (outcome === LATER) {
          result.long = true;
          break;
        }
        result.done.push(outcome);
      } catch (error) {
        result.errors.push(writeError(result.next, error));
        result.stop = ordered;
      }
    }
    return result;
  };
  for (let at = 0; at < statements.length;) {
    deadline?.check();
    try {
      const { next, stop, long, ...result } = await state.write(() => part(at), { removes });
      done.push(...result.done);
      writeErrors.push(...result.errors);
      at = next;
      if (stop) break;
      if (!long) continue;
      done.push(await runLong!(statements[at], at));
    } catch (error) {
      // The store cannot be written to, and nothing was written before: the whole command fails.
      if (at === 0 && !done.length && isStoreFailure(error)) throw error;
      writeErrors.push(writeError(at, error));
      if (ordered || isStoreFailure(error)) break;
    }
    at++;
  }
  return { done, errors: writeErrors.length ? { writeErrors } : {} };
}

/** Whether the store cannot be written to. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof CommandError && (error.code === codes.OutOfDiskSpace || error.code === codes.ShutdownInProgress);

/** @throws the error itself if it is not about this statement: it ends the command. */
function writeError(index: number, error: unknown): Doc {
  if (!(error instanceof CommandError) || error.code === codes.MaxTimeMSExpired) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.extra };
}

function statementsOf(body: Doc, list: string): unknown[] {
  const statements = body[list];
  if (!Array.isArray(statements))
    throw new CommandError(
      'MissingParameter',
      `BSON field '${Object.keys(body)[0]}.${list}' is missing but a required field`,
    );
  if (!statements.length || statements.length > MAX_BATCH) {
    throw new CommandError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${statements.length} operations.`,
    );
  }
  return statements;
}

const REQUIRED = { updates: ['q', 'u'], deletes: ['q', 'limit'] };
const FIELDS = {
  updates: [...REQUIRED.updates, 'c', 'upsert', 'multi', 'collation', 'arrayFilters', 'hint'],
  deletes: [...REQUIRED.deletes, 'collation', 'hint'],
};

/**
 * Runs before anything is written: without its filter, a statement would match every document.
 * @throws CommandError 14 for a statement that is not a document, 40414 or 40415 for a missing or unknown field.
 */
export function checkFields(body: Doc, list: 'updates' | 'deletes'): void {
  if (!Array.isArray(body[list])) return;
  const name = `${Object.keys(body)[0]}.${list}`;
  for (const statement of body[list]) {
    if (!isDocument(statement))
      throw new CommandError('TypeMismatch', `BSON field '${name}' holds something that is no object`);
    const other = Object.keys(statement).find((field) => !FIELDS[list].includes(field));
    if (other) throw new CommandError('UnknownField', `BSON field '${name}.${other}' is an unknown field.`);
    const missing = REQUIRED[list].find((field) => statement[field] === undefined);
    if (missing)
      throw new CommandError('MissingParameter', `BSON field '${name}.${missing}' is missing but a required field`);
  }
}
