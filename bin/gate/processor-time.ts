import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux reports the times of processes in this unit. */
const TICKS_PER_SECOND = 100;

/**
 * Processor seconds of the children of this process that have ended, with those of their own children. Undefined except
 * on Linux. Lacks processes whose parent died before them, such as Chromium's renderers when it is killed.
 */
export function readChildrenSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  // The name in parentheses may contain spaces. After it, cutime and cstime are the 14th and 15th field (proc(5)).
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Returns what was added since the last call: between two children's ends, the processor seconds of the second. */
export function meterChildren(read = readChildrenSeconds): () => number {
  let last = read() ?? 0;
  return () => {
    const now = read() ?? 0;
    const added = now - last;
    last = now;
    return added;
  };
}

/** Returns the share of all processors, 0 to 1, that was busy since this call, with whatever else the machine does. */
export function watchProcessors(): () => number {
  const before = readProcessors();
  return () => {
    const now = readProcessors();
    return (now.busy - before.busy) / Math.max(1, now.total - before.total);
  };
}

function readProcessors(): { busy: number; total: number } {
  const sums = { busy: 0, total: 0 };
  for (const { times } of cpus()) {
    const total = Object.values(times).reduce((sum, each) => sum + each, 0);
    sums.total += total;
    sums.busy += total - times.idle;
  }
  return sums;
}
