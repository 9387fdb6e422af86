/**
 * Preloaded into a server under measurement (`--import statement-trace.ts?file`): appends one JSON line to the file
 * for each statement of node:sqlite that blocked its thread for longer than 10 ms.
 */
import { appendFileSync } from 'node:fs';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const MIN_TRACED_MS = 10;

/** `blockedMs` is wall-clock time, `cpuMs` the processor time of the thread. */
export type TracedStatement = { at: number; sql: string; blockedMs: number; cpuMs: number };

type Method = (this: unknown, ...values: unknown[]) => unknown;

const file = decodeURIComponent(new URL(import.meta.url).search.slice(1));
if (file !== '' && isMainThread) {
  for (const name of ['all', 'get', 'run'])
    replace(StatementSync.prototype, name, (statement) => (statement as StatementSync).sourceSQL);
  replace(DatabaseSync.prototype, 'exec', (_database, [text]) => String(text));
}

function replace(prototype: object, name: string, sqlOf: (self: unknown, values: unknown[]) => string): void {
  const methods = prototype as Record<string, Method>;
  const method = methods[name]!;
  methods[name] = function (...values) {
    const startedAt = performance.now();
    const cpuBefore = process.threadCpuUsage();
    try {
      return method.apply(this, values);
    } finally {
      const blockedMs = performance.now() - startedAt;
      if (blockedMs >= MIN_TRACED_MS) {
        const { user, system } = process.threadCpuUsage(cpuBefore);
        append({ at: Date.now(), sql: sqlOf(this, values), blockedMs, cpuMs: (user + system) / 1000 });
      }
    }
  };
}

function append(statement: TracedStatement): void {
  appendFileSync(file, `${JSON.stringify(statement)}\n`);
}
