/** What one command of a part took. */
export type Spent = { name: string; tests: number; seconds: number; cpuSeconds: number };

/**
 * A table of the parts of a run, the longest first. Parts run in parallel, so `time` adds up the durations of a part's
 * commands. Where it is much longer than `CPU`, the part waited or shared its processor.
 */
export function formatTimes(spent: Spent[]): string {
  const parts = new Map<string, Omit<Spent, 'name'>>();
  for (const { name, tests, seconds, cpuSeconds } of spent) {
    const part = nameOfPart(name);
    const sum = parts.get(part) ?? { tests: 0, seconds: 0, cpuSeconds: 0 };
    parts.set(part, {
      tests: sum.tests + tests,
      seconds: sum.seconds + seconds,
      cpuSeconds: sum.cpuSeconds + cpuSeconds,
    });
  }
  const rows = [...parts]
    .toSorted(([, a], [, b]) => b.cpuSeconds - a.cpuSeconds || b.seconds - a.seconds)
    .map(([part, sum]) => [part, sum.tests, inSeconds(sum.seconds), inSeconds(sum.cpuSeconds)]);
  return align([['part', 'tests', 'time', 'CPU'], ...rows].map((row) => row.map(String)));
}

/** `journeys 2/4, once more` is part of `journeys`. */
function nameOfPart(name: string): string {
  return name.replace(/, once more$/, '').replace(/ \d+\/\d+$/, '');
}

function inSeconds(seconds: number): string {
  return `${Math.round(seconds)} s`;
}

/** The first column to the left, the others to the right. */
function align(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return rows.map((row) => row.map(pad).join('  ')).join('\n');
}
