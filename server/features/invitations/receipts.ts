import { z } from 'zod';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/lib/clock.ts';
import { enqueueVisitorReceipt } from './emails.ts';
import {
  claimReceipt,
  countDamagedFiles,
  existsUncheckedFile,
  findAwaitedReceipt,
  listReceiptFiles,
  selectOwner,
} from './receipt-queries.ts';

/** About 200 kB of mail; further files are only counted. */
const FILES_LISTED = 200;
/** Between two looks for checksums. */
const LOOK_AGAIN_MS = 5 * SECOND_MS;
/** Then the receipt comes without those that are missing. */
const PATIENCE_MS = HOUR_MS;

/** Mails a visitor what has arrived, once its checksums are known. Harmless to repeat. */
export const sendReceiptJob = defineJob<Context, { transferId: string }>({
  name: 'send-visitor-receipt',
  payload: z.object({ transferId: z.string() }),
  run: sendReceipt,
});

/**
 * Has a visitor's receipt sent, in the transaction in which the delivery becomes ready; no effect on an owner's
 * own transfer.
 */
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
  const isPatient = now < awaited.readyAt + PATIENCE_MS;
  if (isPatient && (await existsUncheckedFile(db, transferId))) {
    // This very job looks again.
    return transaction(db, (trx) => enqueueReceipt(trx, { transferId, runAt: now + LOOK_AGAIN_MS }));
  }
  await transaction(db, (trx) => mailReceipt({ ...context, db: trx }, transferId));
}

/** The claim and the mail are one transaction: both or neither. */
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
