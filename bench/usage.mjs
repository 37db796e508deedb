/** Processor and memory usage of the measured programs. Linux only: reads /proc. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** A process and its descendants. */
function family(pid) {
  const members = [pid];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (Number(stat(name)[1]) === pid) members.push(...family(Number(name)));
    } catch {
      // The process has just exited.
    }
  }
  return members;
}

/** The fields of `/proc/PID/stat` after the name, which may contain any character. */
function stat(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Processor time used so far, in milliseconds. */
export function cpu(pid) {
  return family(pid).reduce((sum, member) => {
    const fields = stat(member);
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  }, 0);
}

/** Like {@link cpu}, with nanosecond resolution, without threads that have exited. */
export function exactCpu(pid) {
  return family(pid).reduce((sum, member) => sum + ownCpu(member), 0);
}

/** The same of the process alone. */
export function ownCpu(pid) {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    0,
  );
}

/** Resident memory in MiB. */
export function resident(pid) {
  return family(pid).reduce((sum, member) => {
    const [, kib = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/status`, 'utf8')) ?? [];
    return sum + Number(kib) / 1024;
  }, 0);
}

/** Memory in MiB, with shared pages counted once: the sum of the proportional set sizes. */
export function proportional(pid) {
  return family(pid).reduce((sum, member) => {
    const [, kib = '0'] = /^Pss:\s+(\d+)/m.exec(rollup(member)) ?? [];
    return sum + Number(kib) / 1024;
  }, 0);
}

function rollup(pid) {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  } catch {
    // The process has just exited.
    return '';
  }
}
