/** Interleaved rounds of the same work by several contenders, so that a machine that drifts drifts for all. */
import { cpuSeconds, peakBytes, resetPeak } from './servers/processes.ts';

export type Contender = {
  name: string;
  /** The processes whose CPU time and memory count. None if they end with the run. */
  pids: number[];
  /** Returns the value itself, or nothing if the value is the amount of the row per second. */
  run(): Promise<number | undefined>;
  /** Not measured. */
  tidy?(): Promise<unknown>;
};

export type Goal = { text: string; isReached(result: RowResult): boolean };

export type Row = {
  /** For throughputs more is better, for `ms` and `MiB` less. */
  unit: 'MB/s' | 'files/s' | 'requests/s' | 'ms' | 'MiB';
  /** Of a run, in the unit's numerator. */
  amount?: number;
  /** Sendwell first. */
  contenders: Contender[];
  goals?: Goal[];
  /** 1 by default. */
  warmUps?: number;
  /** Before each run, not measured. */
  beforeEach?(): void;
};

export type Series = {
  name: string;
  /** One per round. */
  values: number[];
  /** CPU seconds per round; per GiB if the unit is MB/s. */
  cpu: number[];
  /** The most resident memory of a round, in bytes. */
  peakBytes: number;
};

export type RowResult = {
  name: string;
  unit: Row['unit'];
  series: Series[];
  goals: { text: string; isReached: boolean }[];
};

const BYTES_PER_MB = 1e6;
const BYTES_PER_GIB = 1024 ** 3;

export async function measure(name: string, row: Row, rounds: number): Promise<RowResult> {
  const { unit, amount = 1, contenders, goals = [], warmUps = 1, beforeEach } = row;
  const series = contenders.map((contender) => emptySeries(contender.name));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const [index, { pids, run, tidy }] of contenders.entries()) {
      beforeEach?.();
      resetPeak(pids);
      const [cpuBefore, startedAt] = [cpuSeconds(pids), performance.now()];
      const value = (await run()) ?? amount / ((performance.now() - startedAt) / 1000);
      const cpu = cpuSeconds(pids) - cpuBefore;
      const peak = peakBytes(pids);
      await tidy?.();
      if (round < 0) continue;
      const own = series[index]!;
      own.values.push(value);
      own.cpu.push(unit === 'MB/s' ? cpu / ((amount * BYTES_PER_MB) / BYTES_PER_GIB) : cpu);
      own.peakBytes = Math.max(own.peakBytes, peak);
    }
  }
  const result: RowResult = { name, unit, series, goals: [] };
  result.goals = goals.map(({ text, isReached }) => ({ text, isReached: isReached(result) }));
  return result;
}

function emptySeries(name: string): Series {
  return { name, values: [], cpu: [], peakBytes: 0 };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Sendwell's share of another's value, round by round. */
export function ratiosTo({ series }: RowResult, other: string): number[] {
  const [own] = series;
  const values = series.find(({ name }) => name === other)?.values ?? [];
  return values.map((value, round) => own!.values[round]! / value);
}

export function atLeast(share: number, other: string): Goal {
  return {
    text: `≥ ${share} of ${other}`,
    isReached: (result) => median(ratiosTo(result, other)) >= share,
  };
}

export function atMost(limit: number, unit: 'ms' | 'MiB'): Goal {
  return { text: `≤ ${limit} ${unit}`, isReached: ({ series }) => median(series[0]!.values) <= limit };
}

export function cpuAtMost(secondsPerGib: number): Goal {
  return {
    text: `≤ ${secondsPerGib} CPU s/GiB`,
    isReached: ({ series }) => median(series[0]!.cpu) <= secondsPerGib,
  };
}
