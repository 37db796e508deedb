import { createContext, runInContext } from 'node:vm';
import { Ajv, type Options, type ValidateFunction } from 'ajv';

/** Maximum size of the schema of a tool's arguments, in bytes. */
const MAX_SCHEMA_BYTES = 16 * 1024;
/** Timeout of a check, in milliseconds: a schema of others may take exponential time. */
const CHECK_TIMEOUT_MS = 300;
const OPTIONS: Options = { strict: false, validateFormats: false, logger: false, inlineRefs: false };
/** Checks schemas. To compile the rules of schemas takes forty times as long as most schemas do. */
const RULES = new Ajv(OPTIONS);
const bounds = createContext({ work: undefined as (() => unknown) | undefined });

/** Checks the arguments of a call. @returns the fault; undefined if there is none */
export type ArgumentsCheck = (input: unknown) => string | undefined;

/** Compiles the schema of a tool's arguments, an object, without `format`. @throws Error, as in "the tool has …" */
export function argumentsCheck(parameters: unknown): ArgumentsCheck {
  if ((parameters as { type?: unknown } | undefined)?.type !== 'object')
    throw new Error('parameters whose type is not "object"');
  // Its dialect makes no difference to the keywords of arguments. `$async` is Ajv's own: the check would reject later.
  const { $schema: _, $async: __, ...schema } = parameters as Record<string, unknown>;
  let validate: ValidateFunction;
  try {
    RULES.validateSchema(schema, true);
    // An instance of its own, since an instance keeps all that it compiled.
    const ajv = new Ajv({ ...OPTIONS, validateSchema: false });
    validate = bounded(() => ajv.compile(schema), 1000);
  } catch (error) {
    throw new Error(`parameters that are no JSON Schema: ${(error as Error).message.slice(0, 200)}`, { cause: error });
  }
  return (input) => {
    try {
      if (bounded(() => validate(input), CHECK_TIMEOUT_MS)) return undefined;
    } catch {
      return 'arguments cannot be checked';
    }
    const [fault] = validate.errors ?? [];
    return `arguments${fault?.instancePath ?? ''} ${fault?.message ?? 'are not valid'}`;
  };
}

/** Runs work that may never end. @throws Error when the time is up */
function bounded<T>(work: () => T, timeout: number): T {
  bounds.work = work;
  return runInContext('work()', bounds, { timeout }) as T;
}

/** The check of a tool's arguments, or what is wrong with their schema. */
export function checkOrFault(parameters: unknown): ArgumentsCheck | string {
  if (Buffer.byteLength(JSON.stringify(parameters)) > MAX_SCHEMA_BYTES) return 'must have at most 16 KiB';
  try {
    return argumentsCheck(parameters);
  } catch (error) {
    return `must be a JSON Schema of an object: ${(error as Error).message}`;
  }
}
