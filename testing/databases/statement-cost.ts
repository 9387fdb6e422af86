import { type DatabaseSync, StatementSync } from 'node:sqlite';
import type { TestContext } from 'node:test';

export type StatementCost = {
  /** The SQL text, or the name of the function that commits a transaction. */
  sql: string;
  runs: number;
  /**
   * Processor time of the third most expensive run (of the cheapest if there are fewer) or, with many runs, the 98th
   * percentile. More expensive runs may include a garbage collection or a first read from the disk.
   */
  milliseconds: number;
  caller: string;
};

type Run = (this: StatementSync, ...parameters: never[]) => unknown;

/** Enough to include the caller below the frames of Kysely and its dialect. */
const STACK_FRAMES = 40;

/**
 * Measures the processor time of every SQLite statement in this process until the test ends. Other processes do not
 * affect it. There is one cost per distinct SQL text and one per function that commits.
 */
export function measureStatements(t: TestContext): {
  costs(): StatementCost[];
  transactions(): StatementCost[];
  clear(): void;
} {
  const statements = new Costs();
  const transactions = new Costs();
  let inTransaction: number | undefined;
  const prototype = StatementSync.prototype as unknown as Record<'all' | 'run', Run>;
  for (const method of ['all', 'run'] as const) {
    const original = prototype[method];
    prototype[method] = function (...parameters) {
      const before = process.threadCpuUsage();
      try {
        return original.apply(this, parameters);
      } finally {
        const { user, system } = process.threadCpuUsage(before);
        const milliseconds = (user + system) / 1_000;
        statements.add(this.sourceSQL, milliseconds);
        if (this.sourceSQL === 'begin immediate') inTransaction = 0;
        if (inTransaction !== undefined) inTransaction += milliseconds;
        if (this.sourceSQL === 'commit') {
          transactions.add(findCaller(), inTransaction ?? 0);
          inTransaction = undefined;
        }
      }
    };
    t.after(() => {
      prototype[method] = original;
    });
  }
  return {
    costs: () => statements.list(),
    transactions: () => transactions.list(),
    clear: () => {
      statements.clear();
      transactions.clear();
    },
  };
}

/** The most expensive runs, which are ignored because they may be noise. */
const IGNORED_RUNS = 2;
const IGNORED_SHARE = 0.02;

class Costs {
  readonly #bySql = new Map<string, { milliseconds: number[]; most: number; caller: string }>();

  add(sql: string, milliseconds: number): void {
    const cost = this.#bySql.get(sql) ?? { milliseconds: [], most: -1, caller: '' };
    cost.milliseconds.push(milliseconds);
    if (milliseconds > cost.most) {
      cost.most = milliseconds;
      cost.caller = findCaller();
    }
    this.#bySql.set(sql, cost);
  }

  list(): StatementCost[] {
    return [...this.#bySql].map(([sql, { milliseconds, caller }]) => {
      const runs = milliseconds.length;
      const ignored = Math.min(runs - 1, Math.max(IGNORED_RUNS, Math.floor(runs * IGNORED_SHARE)));
      return { sql, runs, caller, milliseconds: milliseconds.toSorted((a, b) => b - a)[ignored]! };
    });
  }

  clear(): void {
    this.#bySql.clear();
  }
}

function findCaller(): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const lines = (new Error().stack ?? '').split('\n');
  Error.stackTraceLimit = stackTraceLimit;
  const frame = lines.find((line) => /\/server\/(features|platform\/(?!db\/))/.test(line));
  return frame?.replace(/^ +at (?:async )?/, '').replace(/\(file:.*\/server\//, '(') ?? 'unknown';
}

/**
 * Tables of which the statement reads every row or every index entry according to SQLite's query plan. A statement
 * with a limit that reads an index in order does not count.
 */
export function findFullScans(database: DatabaseSync, sql: string): string[] {
  const lines = database.prepare(`explain query plan ${sql}`).all() as { detail: string }[];
  return lines.flatMap(({ detail }) => {
    const [, name, index] = /^SCAN (\w+)(?: (USING .*))?$/.exec(detail) ?? [];
    if (name === undefined) return [];
    const table = new RegExp(`"(\\w+)" as "${name}"`, 'i').exec(sql)?.[1] ?? name;
    return index !== undefined && /\blimit \?/i.test(sql) ? [] : [table];
  });
}
