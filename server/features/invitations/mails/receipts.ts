import { z } from 'zod';
import { HOUR_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { Instant } from '../../../platform/db/schema/column-types.ts';
import type { TransferRow, UserRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { enqueueVisitorReceipt, type ReceiptFile } from './emails.ts';

/** About 200 kB of mail; further files are only counted. */
const FILES_LISTED = 200;
const RETRY_AFTER_MS = 5 * SECOND_MS;
/** After this time the receipt is sent without the missing checksums. */
const CHECKSUMS_TIMEOUT_MS = HOUR_MS;

/** Mails the receipt once the checksums are known. Idempotent. */
export const sendReceiptJob = defineJob<Context, { transferId: string }>({
  name: 'send-visitor-receipt',
  payload: z.object({ transferId: z.string() }),
  run: sendReceipt,
});

/** Call it in the transaction that makes the transfer ready. Does nothing for the owner's own transfers. */
export function enqueueReceipt(
  trx: Trx,
  { transferId, runAt = 0 }: { transferId: string; runAt?: number },
): Promise<void> {
  return enqueue(trx, sendReceiptJob, { transferId }, { uniqueKey: transferId, runAt });
}

async function sendReceipt(context: Context, { transferId }: { transferId: string }): Promise<void> {
  const { db, clock } = context;
  const awaited = await findAwaitedReceipt(db, transferId);
  if (!awaited) return;
  const now = clock.now();
  const isPatient = now < awaited.readyAt + CHECKSUMS_TIMEOUT_MS;
  if (isPatient && (await hasUncheckedFile(db, transferId))) {
    return transaction(db, (trx) => enqueueReceipt(trx, { transferId, runAt: now + RETRY_AFTER_MS }));
  }
  await transaction(db, (trx) => mailReceipt({ ...context, db: trx }, transferId));
}

async function mailReceipt(
  { db: trx, clock }: Pick<Context, 'clock'> & { db: Trx },
  transferId: string,
): Promise<void> {
  const createdAt = clock.now();
  const transfer = await claimReceipt(trx, transferId, createdAt);
  const owner = transfer && (await selectOwner(trx, transfer.userId));
  if (!owner || transfer.receivedFrom === null) return;
  await enqueueVisitorReceipt(trx, {
    transfer,
    owner,
    recipient: transfer.receivedFrom,
    files: await listReceiptFiles(trx, transferId, FILES_LISTED),
    damagedCount: await countDamagedFiles(trx, transferId),
    createdAt,
  });
}

/** Returns undefined if the transfer's visitor needs no receipt or already has one. */
async function findAwaitedReceipt(db: Db, transferId: string): Promise<{ readyAt: Instant } | undefined> {
  const row = await db
    .selectFrom('transfers')
    .select('readyAt')
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .where('receivedFrom', 'is not', null)
    .where('receiptSentAt', 'is', null)
    .executeTakeFirst();
  return row && { readyAt: row.readyAt ?? 0 };
}

async function hasUncheckedFile(db: Db, transferId: string): Promise<boolean> {
  const file = await db
    .selectFrom('files')
    .select('id')
    .where('transferId', '=', transferId)
    .where('checkedAt', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return file !== undefined;
}

/** Of parallel callers, exactly one gets the transfer. Returns undefined also if it is being deleted. */
async function claimReceipt(trx: Trx, transferId: string, now: Instant): Promise<TransferRow | undefined> {
  return trx
    .updateTable('transfers')
    .set({ receiptSentAt: now })
    .where('id', '=', transferId)
    .where('status', '=', 'ready')
    .where('receivedFrom', 'is not', null)
    .where('receiptSentAt', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

async function listReceiptFiles(trx: Trx, transferId: string, limit: number): Promise<ReceiptFile[]> {
  const rows = await trx
    .selectFrom('files')
    .select(['relativePath', 'sizeBytes', 'sha256', 'damagedAt'])
    .where('transferId', '=', transferId)
    .orderBy('position')
    .limit(limit)
    .execute();
  return rows.map(({ relativePath, sizeBytes, sha256, damagedAt }) => ({
    path: relativePath,
    sizeBytes,
    sha256: damagedAt === null ? sha256 : null,
    isDamaged: damagedAt !== null,
  }));
}

async function countDamagedFiles(trx: Trx, transferId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('files')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('transferId', '=', transferId)
    .where('damagedAt', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

async function selectOwner(
  trx: Trx,
  userId: string,
): Promise<Pick<UserRow, 'id' | 'name' | 'email' | 'language'> | undefined> {
  return trx
    .selectFrom('users')
    .select(['id', 'name', 'email', 'language'])
    .where('id', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}
