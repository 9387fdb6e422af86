import { z } from 'zod';
import { FATES_KEPT_DAYS, type FateCause } from '../../../../contracts/admin/lookup.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import { deleteInBatches } from '../../../platform/db/queries/batches.ts';
import type { FateRow, TransferRow } from '../../../platform/db/schema.ts';
import { afterCommit } from '../../../platform/db/transaction.ts';
import { SWEEP_INTERVAL_MS } from '../../../platform/jobs/clock-guard.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { hashToken, randomId } from '../../../platform/lib/tokens.ts';

export type FateContext = Pick<Context, 'clock' | 'log'> & { db: Trx };

/** Call it in the transaction that decides the fate. Logs one line per transfer after the commit. */
export function recordTransferFates(
  context: FateContext,
  cause: FateCause,
  transfers: Pick<TransferRow, 'id' | 'token' | 'userId'>[],
): Promise<void> {
  const rows = transfers.map(({ id, token, userId }) => ({
    kind: 'transfer' as const,
    transferId: id,
    uploadId: null,
    tokenHash: hashToken(token),
    ownerId: userId,
  }));
  return record(context, cause, rows);
}

export function recordUploadFates(
  context: FateContext,
  cause: FateCause,
  uploads: { id: string; transferId: string; userId: string }[],
): Promise<void> {
  const fates = uploads.map(({ id, transferId, userId }) => ({
    kind: 'upload' as const,
    transferId,
    uploadId: id,
    tokenHash: null,
    ownerId: userId,
  }));
  return record(context, cause, fates);
}

async function record(
  { db: trx, clock, log }: FateContext,
  cause: FateCause,
  fates: Omit<FateRow, 'id' | 'cause' | 'at'>[],
): Promise<void> {
  const at = clock.now();
  await insertFates(
    trx,
    fates.map((fate) => ({ ...fate, id: randomId(), cause, at })),
  );
  afterCommit(trx, () => {
    for (const { kind, transferId, uploadId, ownerId } of fates)
      log.info({ cause, transferId, ...(uploadId && { uploadId }), ownerId }, `${kind} fate`);
  });
}

/** Accepts an id or a share token. Latest first. */
export async function listTransferFates(db: Db, idOrToken: string, limit: number): Promise<FateRow[]> {
  const found = await listFatesOfTransfer(db, idOrToken, limit);
  if (found.length > 0) return found;
  const transferId = await findTransferOfTokenHash(db, hashToken(idOrToken));
  return transferId === undefined ? [] : listFatesOfTransfer(db, transferId, limit);
}

export function listUploadFates(db: Db, uploadId: string, limit: number): Promise<FateRow[]> {
  return listFatesOfUpload(db, uploadId, limit);
}

/** Keeps fates for 90 days. Deletes none while the clock isn't trusted. */
export const sweepFatesJob = defineJob<Context, object>({
  name: 'sweep-fates',
  payload: z.object({}),
  every: SWEEP_INTERVAL_MS,
  async run({ db, clockGuard }) {
    const now = await clockGuard.findTrustedNow();
    if (now === undefined) return;
    await deleteInBatches(db, { table: 'fates', key: ['id'] }, (eb) =>
      eb('at', '<', now - FATES_KEPT_DAYS * DAY_MS),
    );
  },
});

const ROWS_PER_INSERT = 500;

async function insertFates(trx: Trx, rows: FateRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await trx
      .insertInto('fates')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
}

function listFatesOfTransfer(db: Db, transferId: string, limit: number): Promise<FateRow[]> {
  return db
    .selectFrom('fates')
    .selectAll()
    .where('transferId', '=', transferId)
    .where('kind', '=', 'transfer')
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

function listFatesOfUpload(db: Db, uploadId: string, limit: number): Promise<FateRow[]> {
  return db
    .selectFrom('fates')
    .selectAll()
    .where('uploadId', '=', uploadId)
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function findTransferOfTokenHash(db: Db, tokenHash: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('fates')
    .select('transferId')
    .where('tokenHash', '=', tokenHash)
    .limit(1)
    .executeTakeFirst();
  return row?.transferId;
}
