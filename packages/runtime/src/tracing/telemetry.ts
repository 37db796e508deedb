import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Api from '@opentelemetry/api';
import { BoundedSampler } from './bounded.sampler.js';
import { recordSpans } from './spans.js';

const SDK_PACKAGE = '@opentelemetry/sdk-node';
/** How long {@link endTelemetry} waits for the collector, in milliseconds. */
const END_LIMIT_MS = 250;

interface Sdk {
  start(): void;
  shutdown(): Promise<void>;
}
let sdk: Sdk | undefined;

/**
 * Sends traces with OpenTelemetry's SDK, which reads its own variables `OTEL_…`. Its queue is bounded: without a
 * collector, spans are dropped.
 *
 * @throws Error if it is not installed
 */
export function startTelemetry(serviceName: string): void {
  const load = createRequire(import.meta.url);
  let path: string;
  try {
    path = load.resolve(SDK_PACKAGE);
  } catch (error) {
    const advice = `OTEL_EXPORTER_OTLP_ENDPOINT needs an optional package: npm install ${SDK_PACKAGE}`;
    throw new Error(advice, { cause: error });
  }
  const { NodeSDK } = load(path) as { NodeSDK: new (options: object) => Sdk };
  // The copy that the SDK uses: another version might not find its tracer.
  const api = createRequire(path)('@opentelemetry/api') as typeof Api;
  // Its own context slows down each promise once it has sent something; spans name their parents here.
  sdk = new NodeSDK({ serviceName, contextManager: null, metricReaders: [], logRecordProcessors: [] });
  sdk.start();
  recordSpans(
    api,
    api.trace.getTracer(serviceName),
    process.env.OTEL_TRACES_SAMPLER ? undefined : new BoundedSampler(),
  );
}

/** Sends the last spans, if the collector answers at once. */
export async function endTelemetry(): Promise<void> {
  if (!sdk) return;
  const sent = sdk.shutdown().catch(() => undefined);
  await Promise.race([sent, delay(END_LIMIT_MS, undefined, { ref: false })]);
}
