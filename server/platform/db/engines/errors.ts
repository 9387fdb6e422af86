import { DatabaseError } from 'pg';
import { AppError } from '../../lib/app-error.ts';

/**
 * Both engines' errors in our words. The code decides, never the message; the message is only asked which
 * columns a unique index covers, because SQLite says it nowhere else.
 *
 * On PostgreSQL a failed statement ends its transaction: let the error leave `transaction()` before acting on it.
 */

/** A row with this key exists already. Left uncaught it is a 409. */
export class UniqueViolation extends AppError {
  /** `<table>_<column>[_<column>…]`, the name every unique index and primary key carries. */
  readonly index: string;

  constructor(index: string, cause: unknown) {
    super('conflict', { cause });
    this.name = 'UniqueViolation';
    this.index = index;
  }
}

/**
 * Whether the error says that a value is taken. The key is written `'users.usernameKey'`, or with several
 * columns `'packs.transferId.storageKey'`; without it any unique index will do.
 */
export function isUniqueViolation(error: unknown, key?: string): error is UniqueViolation {
  return error instanceof UniqueViolation && (key === undefined || error.index === key.replaceAll('.', '_'));
}

const RETRYABLE = new WeakSet<Error>();

/** Whether running the whole transaction again may succeed: a deadlock, a failed serialization, a busy file. */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && RETRYABLE.has(error);
}

/** Marks an error whose cause is over, so that the transaction it ended is run again. */
export function markRetryable(error: Error): void {
  RETRYABLE.add(error);
}

/** Whether PostgreSQL gave up waiting for a table lock (`lock_timeout`). */
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

/** A full disk shows as any of these, depending on the file that could not grow. */
const SQLITE_DISK_FULL = new Set([
  SQLITE_FULL,
  SQLITE_IOERR_WRITE,
  SQLITE_IOERR_FSYNC,
  SQLITE_IOERR_TRUNCATE,
  SQLITE_IOERR_SHMSIZE,
]);

/** Returns what to throw for an error of `node:sqlite`; errors that are our own mistakes stay as they are. */
export function translateSqliteError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error;
  const code = error.errcode;
  if (code === SQLITE_CONSTRAINT_UNIQUE || code === SQLITE_CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation(indexFromSqlite(error.message), error);
  }
  if (code === SQLITE_CONSTRAINT_FOREIGNKEY) return new AppError('conflict', { cause: error });
  if (SQLITE_DISK_FULL.has(code)) return new AppError('storage_full', { cause: error });
  // The low byte is the family: SQLITE_BUSY_SNAPSHOT, SQLITE_BUSY_RECOVERY …
  const family = code & 0xff;
  return family === SQLITE_BUSY || family === SQLITE_LOCKED ? retryable(error) : error;
}

/** 'UNIQUE constraint failed: packs.transferId, packs.storageKey' → 'packs_transferId_storageKey'. */
function indexFromSqlite(message: string): string {
  const columns = message.slice(message.indexOf(': ') + 2).split(', ');
  const table = columns[0]!.split('.')[0]!;
  return [table, ...columns.map((column) => column.split('.')[1])].join('_');
}

/** SQLSTATE codes that mean "not now": the server stops, starts, is full of clients, or cancelled the statement. */
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

/** Returns what to throw for an error of `pg`; errors that are our own mistakes stay as they are. */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof DatabaseError) return translateSqlState(error);
  // Whatever the server did not say itself is a broken connection, unless the driver was called wrongly.
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
  // Data exceptions (a NUL, a number out of range): checked before, and never a 500 should one slip through.
  return code.startsWith('22') ? new AppError('invalid_input', { cause: error }) : error;
}
