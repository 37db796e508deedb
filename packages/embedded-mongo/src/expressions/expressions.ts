import { Doc, isDocument } from '../values/bson.js';
import { CommandError } from '../wire/errors.js';
import { unsupported } from '../wire/options.js';
import { operators } from './operators.js';
import type { Builder, EvaluationContext, Expression } from './operator.js';

export type { EvaluationContext, Expression };

/** MongoDB's system variables, which need no `let`. */
const SYSTEM = ['ROOT', 'CURRENT', 'REMOVE', 'NOW'];
const UNSUPPORTED = ['CLUSTER_TIME', 'USER_ROLES', 'SEARCH_META', 'JS_SCOPE', 'IS_MR'];

/**
 * Compiles an expression. `names` are the variables that it may use besides the system variables.
 * @throws CommandError 168 for an unsupported operator, and others for malformed input.
 */
export function expression(given: unknown, names: Iterable<string> = []): Expression {
  return compile(given, new Set(names));
}

/** The scope in which expressions are evaluated; created once per document. */
export const evaluationContext = (root: Doc, variables: Doc): EvaluationContext => ({ root, variables });

/** The values of a `let`: expressions without a document. `$$NOW` is the same for the whole command. */
export function constants(given: Doc): Doc {
  const variables: Doc = { NOW: new Date() };
  const entries = Object.entries(given).map(([name, value]) => {
    checkName(name);
    return [name, expression(value)(evaluationContext({}, variables))];
  });
  return { ...variables, ...Object.fromEntries(entries) };
}

function checkName(name: string): void {
  if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name))
    throw new CommandError(16867, `'${name}' starts with an invalid character for a user variable name`);
}

function compile(given: unknown, names: ReadonlySet<string>): Expression {
  if (typeof given === 'string' && given.startsWith('$')) return path(given, names);
  const build: Builder = (inner, more = []) => {
    more.forEach(checkName);
    return compile(inner, more.length ? new Set([...names, ...more]) : names);
  };
  if (Array.isArray(given)) {
    const items = given.map((item) => build(item));
    return (env) => items.map((item) => item(env) ?? null);
  }
  if (!isDocument(given)) return () => given;
  const keys = Object.keys(given);
  const [name] = keys;
  if (!name?.startsWith('$')) return fields(given, build);
  if (keys.length > 1)
    throw new CommandError(
      15983,
      `an object representing an expression must have exactly one field: ${keys.join(', ')}`,
    );
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (!operator) throw unsupported(`the expression ${name} is`, 'InvalidPipelineOperator');
  return operator(given[name], build, name);
}

/** An object of expressions. Missing values are omitted. */
function fields(given: Doc, build: Builder): Expression {
  const entries = Object.entries(given).map(([name, value]): [string, Expression] => {
    if (name.startsWith('$')) throw new CommandError(16410, `FieldPath field names may not start with '$': ${name}`);
    if (name.includes('.')) throw new CommandError(16412, `FieldPath field names may not contain '.': ${name}`);
    return [name, build(value)];
  });
  return (env) => {
    const result: [string, unknown][] = [];
    for (const [name, value] of entries) {
      const found = value(env);
      if (found !== undefined) result.push([name, found]);
    }
    return Object.fromEntries(result);
  };
}

/** `$a.b`, `$$name` or `$$name.a.b`. */
function path(given: string, names: ReadonlySet<string>): Expression {
  const variable = given.startsWith('$$');
  const parts = given.slice(variable ? 2 : 1).split('.');
  if (parts.includes('')) throw new CommandError(variable ? 16869 : 40353, `FieldPath '${given}' is not well-formed`);
  const inner = variable ? parts.slice(1) : parts;
  if (inner.some((part) => part.startsWith('$')))
    throw new CommandError(16410, `FieldPath field names may not start with '$': ${given}`);
  if (!variable) return (env) => reach(env.root, parts, 0);
  const name = parts[0]!;
  const rest = parts.slice(1);
  if (UNSUPPORTED.includes(name)) throw unsupported(`$$${name} is`, 'InvalidPipelineOperator');
  if (!names.has(name) && !SYSTEM.includes(name)) throw new CommandError(17276, `Use of undefined variable: ${name}`);
  const root = name === 'ROOT' || name === 'CURRENT';
  const start = (env: EvaluationContext): unknown => (root ? env.root : env.variables[name]);
  if (!rest.length) return start;
  return (env) => {
    const value = start(env);
    return Array.isArray(value) ? each(value, rest, 0) : reach(value, rest, 0);
  };
}

/** Arrays along the path yield arrays. A number in a path is a field name. */
function reach(value: unknown, parts: string[], at: number): unknown {
  if (!isDocument(value) || !Object.hasOwn(value, parts[at]!)) return undefined;
  const next: unknown = value[parts[at]!];
  if (at + 1 === parts.length) return next;
  return Array.isArray(next) ? each(next, parts, at + 1) : reach(next, parts, at + 1);
}

const each = (list: unknown[], parts: string[], at: number): unknown[] =>
  list.map((item) => reach(item, parts, at)).filter((item) => item !== undefined);
