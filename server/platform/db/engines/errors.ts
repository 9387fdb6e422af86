import { DatabaseError } from 'pg';
import { AppError } from '../../lib/app-error.ts';

/**
 * Translates errors by code, never by message, except that only SQLite's message names the columns of a
 * unique index.
 * On PostgreSQL a failed statement aborts its transaction: let the error leave `transaction()` before
 * handling it.
 */

/** Uncaught, it becomes a 409. */
export class UniqueViolation extends AppError {
  /** `<table>_<column>[_<column>…]`, the name of every unique index and primary key. */
  readonly index: string;

  constructor(index: string, cause: unknown) {
    super('conflict', { cause });
    this.name = 'UniqueViolation';
    this.index = index;
  }
}

/**
 * `key` is `'users.usernameKey'` or, with several columns, `'packs.transferId.storageKey'`; without it, any
 * unique index matches.
 */
export function isUniqueViolation(error: unknown, key?: string): error is UniqueViolation {
  return error instanceof UniqueViolation && (key === undefined || error.index === key.replaceAll('.', '_'));
}

const RETRYABLE = new WeakSet<Error>();

export function isRetryable(error: unknown): boolean {
  return error instanceof Error && RETRYABLE.has(error);
}

/** Makes `transaction` retry. */
export function markRetryable(error: Error): void {
  RETRYABLE.add(error);
}

/** PostgreSQL's `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  return cause instanceof DatabaseError && cause.code === '55P03';
}

function unavailable(cause: unknown): AppError {
  return new AppError('unavailable', { cause, retryAfterSeconds: 2 });
}

function retryable(cause: unknown): AppError {
  const error = unavailable(cause);
  RETRYABLE.add(error);
  return error;
}

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_FULL = 13;
const SQLITE_IOERR_WRITE = 778;
const SQLITE_IOERR_FSYNC = 1034;
const SQLITE_IOERR_TRUNCATE = 1546;
const SQLITE_IOERR_SHMSIZE = 4874;
const SQLITE_CONSTRAINT_FOREIGNKEY = 787;
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555;
const SQLITE_CONSTRAINT_UNIQUE = 2067;

/** Which one depends on the file that could not grow. */
const SQLITE_DISK_FULL = new Set([
  SQLITE_FULL,
  SQLITE_IOERR_WRITE,
  SQLITE_IOERR_FSYNC,
  SQLITE_IOERR_TRUNCATE,
  SQLITE_IOERR_SHMSIZE,
]);

/** Programming errors are returned unchanged. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const code = error.errcode;
  if (code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation(indexFromSqlite(error.message), error);
  }
  if (code === SQLITE_CONSTRAINT_FOREIGNKEY) return new AppError('conflict', { cause: error });
  if (SQLITE_DISK_FULL.has(code)) return new AppError('storage_full', { cause: error });
  // The low byte is the family (SQLITE_BUSY_SNAPSHOT, SQLITE_BUSY_RECOVERY …).
  const family = code & 0xff;
  return family === SQLITE_BUSY || family === SQLITE_LOCKED ? retryable(error) : error;
}

/** 'UNIQUE constraint failed: packs.transferId, packs.storageKey' → 'packs_transferId_storageKey'. */
function indexFromSqlite(message: string): string {
  const columns = message.slice(message.indexOf(': ') + 2).split(', ');
  const table = columns[0]!.split('.')[0]!;
  return [table, ...columns.map((column) => column.split('.')[1])].join('_');
}

/** Temporary failures: starting, stopping, too many clients, or a cancelled statement. */
const POSTGRES_UNAVAILABLE = new Set([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '57014',
  '53200',
  '53300',
  '55P03',
]);
const POSTGRES_RETRYABLE = new Set(['40001', '40P01']);

/** Programming errors are returned unchanged. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseError) return translateSqlState(error);
  const calledWrongly = error instanceof TypeError || error instanceof RangeError;
  return calledWrongly ? error : unavailable(error);
}

function translateSqlState(error: DatabaseError): unknown {
  const code = error.code ?? '';
  if (code === '23505') return new UniqueViolation(error.constraint ?? '', error);
  if (code === '23503') return new AppError('conflict', { cause: error });
  if (code === '53100') return new AppError('storage_full', { cause: error });
  if (POSTGRES_RETRYABLE.has(code)) return retryable(error);
  if (POSTGRES_UNAVAILABLE.has(code) || code.startsWith('08')) return unavailable(error);
  // Data exceptions (a NUL, a number out of range) should be validated earlier, but must not cause a 500.
  return code.startsWith('22') ? new AppError('invalid_input', { cause: error }) : error;
}
