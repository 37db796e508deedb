/** One measurement: so many requests over so many connections, and what they cost the process that answers. */
import autocannon from 'autocannon';
import { exactCpu, resident } from './usage.mjs';

/** It looks this often whether all are answered, in milliseconds: a second by default, in which a fast program would rest. */
const LOOK_MS = 10;

/**
 * @returns {Promise<{ms: number, rate: number, p50: number, p99: number, mib: number}>} processor milliseconds a request,
 *   requests a second, milliseconds of half and of 99 % of the requests, resident MiB after them
 */
export async function measure({ url, pid }, requests, { amount, connections = 16 }) {
  const before = exactCpu(pid);
  const result = await autocannon({ url, requests, amount, connections, sampleInt: LOOK_MS });
  if (result.non2xx || result.errors || result['2xx'] < amount)
    throw new Error(
      `${url}: ${result.non2xx} not answered with 2xx, ${result.errors} errors, ${result['2xx']} answered`,
    );
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
