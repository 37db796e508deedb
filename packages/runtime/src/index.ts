export { type BsonExtent, BsonFields, documentsIn } from './bson-json/bson.fields.js';
export { JsonText, LONGEST_ESCAPE } from './bson-json/json.text.js';
export { foreignHostRule } from './incoming-http/foreign-host.js';
export { normalizeForwardedFor } from './incoming-http/forwarded-for.js';
export { routeUpgrades, takesUpgrades, takeUpgrades, UpgradableRequest, upgradeOf } from './incoming-http/upgrades.js';
export { Allowances } from './limits/allowances.js';
export { Coalesced } from './limits/coalesced.js';
export { CountBuffer } from './limits/count-buffer.js';
export { FairQueue, type MayStart, QueueFullError } from './limits/fair-queue.js';
export { FairShare } from './limits/fair-share.js';
export { Counts } from './limits/keyed-counter.js';
export { KeyedQueues } from './limits/keyed-queues.js';
export { onceClosedInQueue } from './limits/queued-response.js';
export { describeError, isError, nestLine } from './logging/log-values.js';
export type { LoggerOf, PartLogger } from './logging/part.logger.js';
export { McpConnection, McpError, mcpReasonOf, type McpToolResult } from './outgoing-http/mcp.connection.js';
export { refusalOf } from './outgoing-http/outgoing.address.js';
export { outgoingUrlFault, REFUSALS } from './outgoing-http/outgoing.fault.js';
export { providerFetch, type ResponseLimits } from './outgoing-http/outgoing.fetch.js';
export { OutgoingHttp } from './outgoing-http/outgoing.http.js';
export { loadEnvFile, namesFromEnvFile, unknownNames } from './settings/env-file.js';
export { generatedSecret, ShortSecretError } from './settings/generated-secret.js';
export { assertKnownOptions, assertModules } from './settings/known-options.js';
export * from './settings/setting-kinds.js';
export type { Setting } from './settings/setting.js';
export { batches, collect } from './streams/batches.js';
export { streamedTo } from './streams/file.stream.js';
export { jsonLines, type Line, readLines } from './streams/lines.js';
export { merge } from './streams/merge.js';
export { Clock, isoDate, LAST_DATE_MS, SystemClock } from './time/clock.js';
export { aborted, afterLimit, unlessAborted, untilAborted, withTimeout } from './time/timeouts.js';
export { AsyncContext } from './tracing/async.context.js';
export {
  CLIENT,
  faultOf,
  INTERNAL,
  isRecorded,
  isRecording,
  recordSpans,
  SERVER,
  type Span,
  startSpan,
  traced,
} from './tracing/spans.js';
export { endTelemetry, startTelemetry } from './tracing/telemetry.js';
export {
  currentTrace,
  findTraceOf,
  holdTraces,
  runInTrace,
  setTraceOf,
  type Trace,
  traceFrom,
  traceparent,
} from './tracing/trace.js';
export { Receivers, WEBHOOK_SLOTS } from './webhooks/webhook.receivers.js';
export { pauseAfter } from './webhooks/webhook.schedule.js';
export { type DeliveryResult, WebhookSender } from './webhooks/webhook.sender.js';
export { derivedSecret, newSecret, readSecrets, signedHeaders } from './webhooks/webhook.signature.js';
export { exitIfShutdownHangs } from './workers/shutdown.js';
export { keepHeapSmall } from './workers/small-heap.js';
export { superviseWorkers } from './workers/supervisor.js';
export {
  allWorkersMetrics,
  isFirstOrOnly,
  isReplaced,
  isWorker,
  listenToSupervisor,
  mayBeWorker,
  offerMetrics,
  passConnection,
  receiveConnections,
  REPLACED_LIMIT_MS,
  reportListening,
} from './workers/worker.js';
