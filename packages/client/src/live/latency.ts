/** The typical output latency in Firefox, in seconds. */
const TYPICAL_LATENCY_SECONDS = 0.04;

/**
 * The delay between playing a sound and hearing it, in seconds. Does not read `outputLatency` in Firefox: there, the getter
 * blocks on another process while it holds a lock that this process may need, and both can deadlock.
 *
 * @param context an `AudioContext`
 */
export function outputLatency(context: { readonly outputLatency: number }): number {
  return navigator.userAgent.includes('Firefox/') ? TYPICAL_LATENCY_SECONDS : context.outputLatency || 0;
}
