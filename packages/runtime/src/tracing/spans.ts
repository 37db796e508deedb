import type * as Api from '@opentelemetry/api';
import { currentTrace, runInTrace, type Trace } from './trace.js';

type Attributes = Readonly<Record<string, string | number>>;

/** Something that takes time, in a trace. Its name and attributes never have words of users or avatars. */
export interface Span {
  /** For what it does. */
  readonly trace: Trace;
  /** @param fault the type of the error with which it failed */
  end(attributes?: Attributes, fault?: string): void;
}

/** OpenTelemetry's kinds: within the service, of a request to it, of its request to others. */
export const INTERNAL = 0;
export const SERVER = 1;
export const CLIENT = 2;
const ERROR = 2;
/** The flag of a trace that is recorded. */
const SAMPLED = 1;

interface Sampler {
  /** Whether a trace that begins now is recorded. */
  admitTrace(): boolean;
}
let recorder: { readonly api: typeof Api; readonly tracer: Api.Tracer; readonly sampler?: Sampler } | undefined;

/** Records spans from now on. @param api the module `@opentelemetry/api` @param sampler asked before its tracer, which is slower */
export function recordSpans(api: object, tracer: object, sampler?: Sampler): void {
  recorder = { api: api as typeof Api, tracer: tracer as Api.Tracer, sampler };
}

export const isRecording = (): boolean => recorder !== undefined;
/** Whether what is done in a trace is recorded. */
export const isRecorded = ({ flags, span }: Trace): boolean =>
  span !== undefined && (Number.parseInt(flags, 16) & SAMPLED) !== 0;

/** Begins a span within another one. @returns undefined if nothing is recorded, or that one is not */
export function startSpan(
  name: string,
  kind: number,
  attributes: Attributes,
  within: Trace = currentTrace(),
): Span | undefined {
  const { id, flags, span, caller } = within;
  if (!recorder || (span !== undefined && !isRecorded(within))) return undefined;
  const { api, tracer, sampler } = recorder;
  const spanId = span ?? caller;
  const traceFlags = Number.parseInt(flags, 16);
  // The last digits of a trace that begins here are random.
  if (sampler && !(spanId === undefined ? sampler.admitTrace() : traceFlags & SAMPLED))
    return { trace: { id, flags, span: spanId ?? id.slice(16) }, end: () => undefined };
  const parent = { traceId: id, spanId: spanId!, traceFlags, isRemote: !span };
  const root = spanId === undefined;
  const context = root ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, parent);
  const recorded = tracer.startSpan(name, { kind, root, attributes }, context);
  const own = recorded.spanContext();
  if (!api.isSpanContextValid(own)) return undefined; // the SDK is switched off
  return {
    trace: { id: own.traceId, flags: own.traceFlags.toString(16).padStart(2, '0'), span: own.spanId },
    end(more = {}, fault) {
      recorded.setAttributes(fault === undefined ? more : { ...more, 'error.type': fault });
      if (fault !== undefined) recorded.setStatus({ code: ERROR });
      recorded.end();
    },
  };
}

/** Does something within a span of its own. Of an error, only the type is recorded. */
export async function traced<T>(
  name: string,
  kind: number,
  attributes: Attributes,
  work: () => Promise<T>,
  describe?: (result: T) => Attributes,
): Promise<T> {
  const span = startSpan(name, kind, attributes);
  if (!span) return work();
  try {
    const result = await runInTrace(span.trace, work);
    span.end(describe?.(result));
    return result;
  } catch (error) {
    span.end({}, faultOf(error));
    throw error;
  }
}

/** The type of an error: its message may have anything. */
export function faultOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
