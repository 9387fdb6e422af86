import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode, FieldErrors } from '../../../../contracts/errors.ts';
import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { HOUR_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Db } from '../../db/open.ts';
import { deleteInBatches } from '../../db/queries/batches.ts';
import type { Instant } from '../../db/schema/column-types.ts';
import type { IdempotencyKeysTable } from '../../db/schema/platform.ts';
import { AppError, isAppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/logging/log.ts';
import { openSealedText, sealText } from '../../lib/sealed-text.ts';
import { keyedHash, keyedId, randomId } from '../../lib/tokens.ts';
import type { Identity } from './identity.ts';

export type IdempotencyDeps = { db: Db; clock: Clock; secret: string; log: Log };

const RETENTION_MS = RETENTION.idempotencyHours * HOUR_MS;
/** A run that hasn't renewed its lease for this long has died. */
const RUN_LEASE_MS = MINUTE_MS;
const EXTEND_EVERY_MS = RUN_LEASE_MS / 3;
const PURPOSE = 'idempotency';

type Exchange = { request: FastifyRequest; reply: FastifyReply; identity: Identity };
type Run = { id: string; runId: string };
type Refusal = { code: ErrorCode; details: Record<string, unknown>; errors?: FieldErrors; message: string };
type Outcome = { answer: string } | { refusal: Refusal };

/**
 * Runs a call once per caller and `Idempotency-Key`; repeats get the first response with
 * `Idempotency-Replayed: true`. Server errors and 429 aren't stored. Throws AppError `bad_idempotency_key`,
 * `idempotency_key_reused` (for a different request), `idempotency_key_running`, and the error of the first
 * run.
 */
export async function runIdempotently(
  deps: IdempotencyDeps,
  exchange: Exchange,
  answer: () => Promise<string>,
): Promise<string> {
  const key = readKey(exchange.request);
  if (key === undefined) return answer();
  const run = { id: keyedId(deps.secret, PURPOSE, callerOf(exchange.identity), key), runId: randomId() };
  const first = await claimRunOrFindFirst(deps, exchange, run);
  if (!first) return runFirst(deps, run, answer);
  exchange.reply.header('idempotency-replayed', 'true');
  return replay(deps, first);
}

function readKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) throw new AppError('bad_idempotency_key');
  return key;
}

/** Shared by a user's sessions and API keys, separate for each visitor. */
function callerOf({ user, visitor }: Identity): string {
  return visitor ? `visitor ${visitor.key}` : `user ${user.id}`;
}

/** Undefined if this request may run. */
async function claimRunOrFindFirst(
  { db, clock, secret }: IdempotencyDeps,
  { request, identity }: Exchange,
  { id, runId }: Run,
): Promise<Required<Pick<FirstRun, 'outcome'>> | undefined> {
  // A keyed hash, because bodies contain passwords.
  const { method, url, body } = request;
  const requestHash = keyedHash(secret, PURPOSE, method, url, JSON.stringify(body ?? null));
  const now = clock.now();
  const row = { id, userId: identity.user.id, requestHash, runId };
  const times = { now, runsUntil: now + RUN_LEASE_MS, expiresAt: now + RETENTION_MS };
  if (await claimRun(db, row, times)) return undefined;
  const first = await findFirstRun(db, id);
  if (first && first.requestHash !== requestHash) throw new AppError('idempotency_key_reused');
  // No outcome: it is still running, or has just ended without one.
  if (!first?.outcome) throw new AppError('idempotency_key_running', { retryAfterSeconds: 1 });
  return first;
}

async function runFirst(deps: IdempotencyDeps, run: Run, answer: () => Promise<string>): Promise<string> {
  const { db, clock, log } = deps;
  const logFailure = (error: unknown) => log.warn({ err: error }, 'an idempotency key could not be written');
  const heartbeat = setInterval(() => {
    extendRun(db, run, clock.now() + RUN_LEASE_MS).catch(logFailure);
  }, EXTEND_EVERY_MS);
  heartbeat.unref();
  try {
    const text = await answer();
    // The object exists, so respond even if the outcome cannot be stored.
    await saveOutcome(deps, run, { answer: text }).catch(logFailure);
    return text;
  } catch (error) {
    if (isFinal(error)) await saveOutcome(deps, run, { refusal: toRefusal(error) }).catch(logFailure);
    else await deleteRun(db, run).catch(logFailure);
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

function saveOutcome({ db, secret }: IdempotencyDeps, run: Run, outcome: Outcome): Promise<void> {
  return updateOutcome(db, run, sealText({ secret, purpose: PURPOSE }, JSON.stringify(outcome)));
}

function isFinal(error: unknown): error is AppError {
  return isAppError(error) && error.status < 500 && error.status !== 429;
}

function toRefusal({ code, details, errors, message }: AppError): Refusal {
  return { code, details, ...(errors && { errors }), message };
}

function replay({ secret }: IdempotencyDeps, { outcome }: Pick<FirstRun, 'outcome'>): string {
  const text = openSealedText({ secret, purpose: PURPOSE }, outcome ?? '');
  if (text === undefined) throw new AppError('idempotency_key_reused');
  const first = JSON.parse(text) as Outcome;
  if ('answer' in first) return first.answer;
  const { code, ...refusal } = first.refusal;
  throw new AppError(code, refusal);
}

type FirstRun = Pick<IdempotencyKeysTable, 'requestHash' | 'outcome'>;

/** True for the first request, or if the earlier run has expired or died. Atomic. */
async function claimRun(
  db: Db,
  row: Run & Pick<IdempotencyKeysTable, 'userId' | 'requestHash'>,
  { now, ...times }: { now: Instant; runsUntil: Instant; expiresAt: Instant },
): Promise<boolean> {
  const claimed = await db
    .insertInto('idempotencyKeys')
    .values({ ...row, ...times, outcome: null })
    .onConflict((conflict) =>
      conflict
        .column('id')
        .doUpdateSet({ requestHash: row.requestHash, runId: row.runId, ...times, outcome: null })
        .where((eb) =>
          eb.or([
            eb('idempotencyKeys.expiresAt', '<=', now),
            eb.and([
              eb('idempotencyKeys.runId', 'is not', null),
              eb('idempotencyKeys.runsUntil', '<=', now),
              eb('idempotencyKeys.requestHash', '=', row.requestHash),
            ]),
          ]),
        ),
    )
    .returning('id')
    .executeTakeFirst();
  return claimed !== undefined;
}

function findFirstRun(db: Db, id: string): Promise<FirstRun | undefined> {
  return db
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'outcome'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function extendRun(db: Db, { id, runId }: Run, runsUntil: Instant): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ runsUntil })
    .where('id', '=', id)
    .where('runId', '=', runId)
    .execute();
}

/** No effect if another request has claimed the run. */
async function updateOutcome(db: Db, { id, runId }: Run, outcome: string): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ outcome, runId: null })
    .where('id', '=', id)
    .where('runId', '=', runId)
    .execute();
}

async function deleteRun(db: Db, { id, runId }: Run): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('id', '=', id).where('runId', '=', runId).execute();
}

export async function deleteExpiredRuns(db: Db, now: Instant): Promise<void> {
  await deleteInBatches(db, { table: 'idempotencyKeys', key: ['id'] }, (eb) => eb('expiresAt', '<=', now));
}
