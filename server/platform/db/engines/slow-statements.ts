import type { CompiledQuery } from 'kysely';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Log } from '../../lib/logging/log.ts';
import type { Metrics } from '../../metrics/metrics.ts';

/** On SQLite a statement blocks the whole process; on PostgreSQL it occupies a connection. */
const SLOW_STATEMENT_MS = 50;

const SHOWN_SQL_LENGTH = 1_000;
/** Enough to get past Kysely's own frames. */
const STACK_FRAMES = 40;
const SERVER_FOLDER = new URL('../../..', import.meta.url).href;
const DATABASE_FOLDER = new URL('..', import.meta.url).href;

type SlowStatement = { name: string; milliseconds: number; sql: string };

export type SlowStatementListener = (statement: SlowStatement) => void;

export function reportStatement(
  { sql }: Pick<CompiledQuery, 'sql'>,
  startedAt: number,
  onSlow: SlowStatementListener | undefined,
): void {
  const milliseconds = performance.now() - startedAt;
  if (onSlow === undefined || milliseconds < SLOW_STATEMENT_MS) return;
  onSlow({ name: findCaller() ?? describe(sql), milliseconds, sql });
}

/** Logs at most one line per calling function and minute. Logs the SQL without its values. */
export function logSlowStatements(
  log: Pick<Log, 'warn'>,
  metrics: Pick<Metrics, 'countSlowStatement'>,
): SlowStatementListener {
  const lines = new Map<string, { loggedAt: number; unlogged: number }>();
  return ({ name, milliseconds, sql }) => {
    metrics.countSlowStatement(name, milliseconds / 1000);
    const now = performance.now();
    const line = lines.get(name);
    if (line && now - line.loggedAt < MINUTE_MS) {
      line.unlogged += 1;
      return;
    }
    const others = line && line.unlogged > 0 ? { unlogged: line.unlogged } : {};
    lines.set(name, { loggedAt: now, unlogged: 0 });
    const fields = { statement: name, ms: Math.round(milliseconds), ...others };
    log.warn({ ...fields, sql: sql.slice(0, SHOWN_SQL_LENGTH) }, 'A database statement was slow.');
  };
}

/** Such as 'features/checksums/queries.ts updateVerdict'. */
function findCaller(): string | undefined {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = STACK_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  for (const line of stack.split('\n')) {
    const [, name, file] = /^ +at (?:async )?(\S+) .*?(file:[^)]+?):\d+:\d+\)$/.exec(line) ?? [];
    if (!file?.startsWith(SERVER_FOLDER) || file.startsWith(DATABASE_FOLDER)) continue;
    return `${file.slice(SERVER_FOLDER.length)} ${name}`;
  }
  return undefined;
}

/** Such as 'update transfers'. */
function describe(sql: string): string {
  const [verb = 'statement'] = /\w+/.exec(sql) ?? [];
  const [, table] = /\b(?:from|into|update) "?(\w+)"?/i.exec(sql) ?? [];
  return [verb.toLowerCase(), table].filter(Boolean).join(' ');
}
