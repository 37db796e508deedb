import { types } from 'node:util';

/** Limits for the values in one log line. */
const MAX_DEPTH = 5;
const MAX_ENTRIES = 50;
const MAX_TEXT = 1000;
const STACK_LINES = 12;

/** Names of fields that hold credentials or the words of users and avatars, at any depth. */
const CONFIDENTIAL =
  /^(authorization|cookie|set-cookie|.*(password|passwd|secret|token|api_?key|signature|credentials?)|jwt|key|user_?hash|request|answer|text|transcript|content|body)$/i;
/** pino's own fields, which a value must not overwrite. */
const RESERVED = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'context', 'trace_id']);
const STACK = /^[ \t]*at .+:\d+/m;

/** A call of Nest's `Logger`: a message, then further values, a stack for errors, and the context last. */
export interface NestLine {
  fields: Record<string, unknown>;
  text?: string;
}

/**
 * Converts a call of Nest's `Logger` to fields and a text for pino. A text stays a text; an error is reduced to its
 * type and location; the fields of an object become fields of the line, without confidential values. Never throws.
 *
 * @param rest what follows the message: `[...values, stack?, context?]`
 */
export function nestLine(message: unknown, rest: readonly unknown[]): NestLine {
  const values = [...rest];
  const last = values.at(-1);
  const context = typeof last === 'string' && !STACK.test(last) ? (values.pop() as string) : undefined;
  const fields: Record<string, unknown> = { context };
  const details: unknown[] = [];
  for (const value of values) {
    if (isError(value)) Object.assign(fields, describeError(value));
    else if (typeof value === 'string' && STACK.test(value)) fields.stack ??= stackLines(value);
    else if (value !== undefined) details.push(describeValue(value));
  }
  if (isError(message)) Object.assign(fields, describeError(message));
  else if (typeof message === 'object' && message !== null) {
    const described = describeValue(message);
    if (isPlain(described) && !Object.keys(described).some((name) => RESERVED.has(name)))
      Object.assign(fields, described);
    else details.unshift(described);
  }
  if (details.length > 0) fields.details = details;
  return typeof message === 'object' && message !== null ? { fields } : { fields, text: String(message) };
}

/** Of this realm or, like socket errors in a test runner's sandbox, of another. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

/**
 * The loggable parts of an error: its type, its location in the code and those of its causes. Messages are dropped if
 * they may quote a user, as those of drivers, parsers and validators do.
 */
export function describeError(error: unknown, depth = 0): { error: string; stack?: string; cause?: unknown } {
  if (!isError(error)) return { error: typeof error };
  const { name, stack, cause } = error;
  const hasCause = cause !== undefined && depth < MAX_DEPTH;
  return {
    error: String(name),
    stack: typeof stack === 'string' ? stackLines(stack) : undefined,
    ...(hasCause ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

/** The stack frames. The first lines of a stack hold the message. */
function stackLines(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, STACK_LINES)
    .map((line) => line.trim())
    .join(' | ');
}

/** A value as plain JSON of limited size. */
function describeValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value === 'function') return '[function]';
  if (typeof value !== 'object' || value === null) return value;
  try {
    return describeObject(value, depth);
  } catch {
    // A getter or a proxy of the value that throws.
    return '[unreadable]';
  }
}

function describeObject(value: object, depth: number): unknown {
  if (isError(value)) return describeError(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? '[array]' : '[object]';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((item) => describeValue(item, depth + 1));
  if (value instanceof Set) return describeObject([...value].slice(0, MAX_ENTRIES), depth);
  const entries = value instanceof Map ? [...value].map(([name, item]) => [String(name), item]) : Object.entries(value);
  return Object.fromEntries(
    entries
      .slice(0, MAX_ENTRIES)
      .map(([name, item]) => [
        name,
        CONFIDENTIAL.test(name as string) && item !== undefined ? '[redacted]' : describeValue(item, depth + 1),
      ]),
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
