import * as api from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { BoundedSampler } from './bounded.sampler.js';
import { recordSpans, SERVER, startSpan } from './spans.js';
import { runInTrace, traceFrom } from './trace.js';

const CALLER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
const exporter = new InMemorySpanExporter();
let started: jest.SpyInstance;
beforeAll(() => {
  // First: the sampler reads the clock.
  jest.useFakeTimers();
  const provider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('test');
  started = jest.spyOn(tracer, 'startSpan');
  recordSpans(api, tracer, new BoundedSampler());
});
afterAll(() => void jest.useRealTimers());
beforeEach(() => {
  jest.advanceTimersByTime(60_000);
  exporter.reset();
  started.mockClear();
});

/** A request with a command of the database. */
function request(caller?: string): void {
  const span = startSpan('request', SERVER, {}, traceFrom(caller))!;
  runInTrace(span.trace, () => startSpan('command', SERVER, {})?.end());
  span.end();
}
const recorded = () => exporter.getFinishedSpans().map(({ name }) => name);

it('of traces that begin here are recorded up to a rate', () => {
  for (let n = 0; n < 1000; n++) request();
  // The others cost nothing.
  expect(started).toHaveBeenCalledTimes(20);
  expect(recorded().filter((name) => name === 'request')).toHaveLength(10);
  expect(recorded().filter((name) => name === 'command')).toHaveLength(10);
  jest.advanceTimersByTime(1000);
  for (let n = 0; n < 1000; n++) request();
  expect(recorded().filter((name) => name === 'request')).toHaveLength(20);
});

it('are recorded if the caller records them, and cost nothing within a request that is not recorded', () => {
  for (let n = 0; n < 200; n++) request(`${CALLER}-01`);
  expect(recorded()).toHaveLength(400);
  started.mockClear();
  request(`${CALLER}-00`);
  expect(recorded()).toHaveLength(400);
  expect(started).not.toHaveBeenCalled();
});

it('are none if the SDK is switched off, so that a trace keeps its id', () => {
  recordSpans(api, api.trace.getTracer('none'), new BoundedSampler());
  expect(startSpan('request', SERVER, {}, traceFrom(undefined))).toBeUndefined();
});
