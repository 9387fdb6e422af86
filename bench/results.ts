/** What a run of the bench found: as text, as a table for docs/performance.md, as JSON, and beside an earlier run. */
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { GIB, MIB } from '../contracts/values/sizes.ts';
import { median, type RowResult, ratiosTo, type Series } from './measure.ts';

export type Results = {
  date: string;
  machine: string;
  node: string;
  commit: string;
  rounds: number;
  rows: RowResult[];
};

export function describeRun(rounds: number): Results {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    machine: `${processors.length} × ${processors[0]!.model}, ${Math.round(totalmem() / GIB)} GiB, Linux ${release()}`,
    node: process.version,
    commit: readCommit(),
    rounds,
    rows: [],
  };
}

function readCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Lines of a row: each contender's median and range, CPU time, peak memory, and Sendwell's share of it. */
export function printRow(result: RowResult): string {
  const { name, unit, series, goals } = result;
  const lines = series.map((each, index) => {
    const shares = index === 0 ? [] : ratiosTo(result, each.name);
    return [
      `  ${each.name.padEnd(14)}`,
      formatRange(each.values, unit).padEnd(32),
      formatCpu(each, unit).padEnd(17),
      each.peakBytes > 0 ? `peak ${Math.round(each.peakBytes / MIB)} MiB`.padEnd(14) : '',
      shares.length > 0 ? `Sendwell has ${formatShares(shares)} of it` : '',
    ]
      .join(' ')
      .trimEnd();
  });
  const verdicts = goals.map(({ text, isReached }) => `  goal ${text}: ${isReached ? 'reached' : 'missed'}`);
  return [name, ...lines, ...verdicts, ''].join('\n');
}

export function toMarkdown({ date, machine, node, commit, rounds, rows }: Results): string {
  const cells = rows.map((row) => {
    const [own, ...others] = row.series;
    return [
      row.name,
      formatRange(own!.values, row.unit),
      formatCpu(own!, row.unit),
      others.map((each) => `${each.name} ${formatShares(ratiosTo(row, each.name))}`).join('; '),
      row.goals.map(({ text, isReached }) => `${text}: ${isReached ? 'yes' : '**no**'}`).join('; '),
    ].join(' | ');
  });
  return [
    `${date.slice(0, 10)}, commit ${commit}, ${machine}, Node ${node}, medians of ${rounds} rounds (lowest–highest):`,
    '',
    '| work | Sendwell | CPU | share of others | goal |',
    '|---|---|---|---|---|',
    ...cells.map((row) => `| ${row} |`),
  ].join('\n');
}

/** A change counts if the ranges of the two runs do not overlap. */
export function compare(old: Results, now: Results): string {
  const lines = now.rows.flatMap((row) => {
    const before = old.rows.find(({ name }) => name === row.name);
    if (!before) return [`${row.name}: not in the earlier run`];
    const [own, earlier] = [row.series[0]!, before.series[0]!];
    const change = (median(own.values) / median(earlier.values) - 1) * 100;
    const verdict = overlaps(own.values, earlier.values) ? 'within the spread' : 'changed';
    const lines = [
      `${row.name}: ${formatRange(earlier.values, row.unit)} → ${formatRange(own.values, row.unit)}, ` +
        `${change > 0 ? '+' : ''}${change.toFixed(1)} % (${verdict})`,
    ];
    for (const { name } of row.series.slice(1)) {
      const [sharesBefore, shares] = [ratiosTo(before, name), ratiosTo(row, name)];
      if (sharesBefore.length === 0) continue;
      lines.push(`  of ${name}: ${formatShares(sharesBefore)} → ${formatShares(shares)}`);
    }
    return lines;
  });
  return [`compared with ${old.date.slice(0, 10)}, commit ${old.commit}, ${old.machine}`, ...lines].join(
    '\n',
  );
}

function overlaps(one: number[], other: number[]): boolean {
  return Math.min(...one) <= Math.max(...other) && Math.min(...other) <= Math.max(...one);
}

function formatRange(values: number[], unit: RowResult['unit']): string {
  const digits = unit === 'ms' && median(values) < 100 ? 1 : 0;
  const format = (value: number) => value.toLocaleString('en', { maximumFractionDigits: digits });
  return `${format(median(values))} ${unit} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
}

function formatCpu({ cpu }: Series, unit: RowResult['unit']): string {
  if (cpu.length === 0 || Math.max(...cpu) === 0) return '';
  return `${median(cpu).toFixed(2)} CPU s${unit === 'MB/s' ? '/GiB' : ''}`;
}

function formatShares(shares: number[]): string {
  return `${median(shares).toFixed(2)} (${Math.min(...shares).toFixed(2)}–${Math.max(...shares).toFixed(2)})`;
}
