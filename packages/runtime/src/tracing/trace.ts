import { randomBytes, randomUUID } from 'node:crypto';
import { AsyncContext } from './async.context.js';

/** The W3C trace context of what is in progress. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** Two hexadecimal digits: whether the trace is recorded. */
  readonly flags: string;
  /** 16 hexadecimal digits: the span in progress. Undefined if nothing is recorded. */
  readonly span?: string;
  /** The span of the caller, in another service. */
  readonly caller?: string;
}

/** Version, trace, caller and flags; versions after `00` may have further parts. */
const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Digits of zero are invalid, and so is version `ff`. */
const isNone = (digits: string) => !/[1-9a-f]/.test(digits);

const traces = new AsyncContext<Trace>();
const TRACE = Symbol('trace');
/** What belongs to no request, such as the start and background work. */
const ofProcess = newTrace();

function newTrace(): Trace {
  // Node has random bytes for many of these in store.
  return { id: randomUUID().replaceAll('-', ''), flags: '00' };
}

/** The trace that a `traceparent` header continues, or a new one if it is missing or invalid. */
export function traceFrom(traceparent: unknown): Trace {
  const [, version, id = '', caller = '', flags = '', rest] =
    (typeof traceparent === 'string' && PARENT.exec(traceparent)) || [];
  const isValid = version !== 'ff' && !isNone(id) && !isNone(caller) && !(version === '00' && rest !== undefined);
  return isValid ? { id, flags, caller } : newTrace();
}

/** Calls a function whose log lines, and those of what it starts, carry the id of a trace. */
export function runInTrace<T>(trace: Trace, run: () => T): T {
  return traces.run(trace, run);
}

export function currentTrace(): Trace {
  return traces.value ?? ofProcess;
}

/** Keeps {@link currentTrace} right for what no promise tells the end of, and then for a moment. @returns what to call at the end */
export function holdTraces(restMs = 5000): () => void {
  return traces.holdValues(restMs);
}

/** Remembers the trace of a request. In a field: maps of weak references make each collection of garbage slower. */
export function setTraceOf(request: object, trace: Trace): void {
  Object.assign(request, { [TRACE]: trace });
}

export function findTraceOf(request: object): Trace | undefined {
  return (request as { [TRACE]?: Trace })[TRACE];
}

/** The `traceparent` header of a request to another service. */
export function traceparent(): string {
  const { id, span = randomBytes(8).toString('hex'), flags } = currentTrace();
  return `00-${id}-${span}-${flags}`;
}
