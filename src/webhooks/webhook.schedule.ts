const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses between attempts, as the Standard Webhooks specification has them: ten attempts in a little over three days. */
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
/** Up to so much longer, so that what failed together does not come back together. */
const JITTER = 0.1;

/**
 * How long to wait after failed attempts, in milliseconds; undefined where there were enough.
 *
 * @param attempts how many there were
 * @param retryAfter for how many seconds the receiver asks to be left alone
 * @param random from 0 to 1
 */
export function pauseAfter(attempts: number, retryAfter = 0, random = Math.random()): number | undefined {
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause, Math.min(retryAfter * SECOND, 24 * HOUR)) * (1 + random * JITTER));
}
