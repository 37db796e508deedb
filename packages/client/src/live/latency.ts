/** How late loudspeakers usually are in Firefox, in seconds. */
const USUAL_SECONDS = 0.04;

/**
 * How much later than it is played something is heard, in seconds. Firefox is not asked: it asks another process while it
 * holds what that process may be waiting for, and if so neither sounds nor answers any more.
 *
 * @param context an `AudioContext`
 */
export function outputLatency(context: { readonly outputLatency: number }): number {
  return navigator.userAgent.includes('Firefox/') ? USUAL_SECONDS : context.outputLatency || 0;
}
