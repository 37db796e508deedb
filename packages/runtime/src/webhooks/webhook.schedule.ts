const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Backoff between attempts, from the Standard Webhooks specification: ten attempts in a little over three days. */
const PAUSES = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
/** Maximum jitter, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/**
 * Backoff after failed attempts, in milliseconds; undefined if there were enough.
 *
 * @param attempts number of attempts so far
 * @param retryAfter the receiver's `Retry-After`, in seconds
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, retryAfter = 0, random = Math.random()): number | undefined {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause, Math.min(retryAfter * SECOND, 24 * HOUR)) * (1 + random * JITTER));
}
