export { CLIENT, faultOf, INTERNAL, isRecording, recordSpans, SERVER, type Span, startSpan, traced } from './spans.js';
export { startTelemetry, Telemetry } from './telemetry.js';
export { currentTrace, runInTrace, type Trace, traceFrom, traceparent } from './trace.js';
