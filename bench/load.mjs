/** One measurement: a number of requests over several connections, and their cost for the serving process. */
import autocannon from 'autocannon';
import { exactCpu, resident } from './usage.mjs';

/** How often to check whether all requests are answered, in milliseconds. At autocannon's default of a second, a fast program would idle. */
const LOOK_MS = 10;

/**
 * @returns {Promise<{ms: number, rate: number, p50: number, p99: number, mib: number}>} processor milliseconds per request,
 *   requests per second, median and 99th percentile of the latency in milliseconds, resident MiB afterwards
 */
export async function measure({ url, pid }, requests, { amount, connections = 16 }) {
  const before = exactCpu(pid);
  // Each connection begins with another user: together they would reach the limits of one.
  let begun = 0;
  const setupClient = (client) => {
    const first = begun++ % requests.length;
    client.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
  };
  const result = await autocannon({ url, requests, amount, connections, setupClient, sampleInt: LOOK_MS });
  if (result.non2xx || result.errors || result['2xx'] < amount)
    throw new Error(`${url}: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`);
  return {
    ms: (exactCpu(pid) - before) / amount,
    rate: amount / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    mib: resident(pid),
  };
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The median of each figure of several measurements. */
export function medians(measurements) {
  return Object.fromEntries(Object.keys(measurements[0]).map((key) => [key, median(measurements.map((m) => m[key]))]));
}
