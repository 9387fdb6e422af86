import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import { lockTransfer } from '../../platform/db/queries/lock-transfer.ts';
import type { ContentRuleRow } from '../../platform/db/schema.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { defineJob, type JobRun } from '../../platform/jobs/define-job.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { refreshScanState } from './held-files.ts';
import {
  blockFile,
  deleteBlockedRule,
  deleteHeldFile,
  type FoundFile,
  findFile,
  findRule,
  listFilesOfContent,
  listHeldOfContent,
  updateHeldFile,
  upsertRule,
} from './queries.ts';
import { enqueueScan } from './scan-files.ts';

const FILES_PER_LIST = 50;
const CHECKSUM_RETRY_SECONDS = 10;
/** A rule is applied again to files whose checksum was still being computed when it was created. */
const APPLY_AGAIN_MS = [MINUTE_MS, HOUR_MS];

/** Applies a content rule to all files with this content, in small transactions. Idempotent. */
export const applyContentRuleJob = defineJob<Context, { sha256: string; round: number }>({
  name: 'apply-content-rule',
  payload: z.object({ sha256: z.string(), round: z.int().default(0) }),
  oneAtATime: true,
  run: applyContentRule,
});

type TrxContext = Omit<Context, 'db'> & { db: Trx };
type Decision = { fileId: string; reason: string; createdBy: string };

/** Also releases all present and future files with the same content. Throws AppError `held_file_not_found`. */
export async function releaseHeldFile(
  context: TrxContext,
  { fileId, reason, createdBy }: Decision,
): Promise<FoundFile> {
  const { db: trx, clock } = context;
  const file = await findFile(trx, fileId);
  if (!file || !(await lockTransfer(trx, file.transferId))) throw new AppError('held_file_not_found');
  if (!(await deleteHeldFile(trx, { fileId, from: ['infected', 'unscanned'] })))
    throw new AppError('held_file_not_found');
  await refreshScanState(trx, context, file.transferId);
  const sha256 = file.heldSha256 ?? file.sha256;
  if (sha256 !== null) {
    const { finding } = file;
    await upsertRule(
      trx,
      toRule(file, { sha256, verdict: 'released', finding, reason, createdBy, at: clock.now() }),
    );
    await enqueueApply(trx, { sha256, round: 0, runAt: 0 });
  }
  return file;
}

/**
 * Takes down the content of a file: all present and future files with its SHA-256 are refused. Applies to this file on
 * commit, to others within moments. Throws AppError `file_not_found`, `checksums_pending`.
 */
export async function blockContentOf(
  context: TrxContext,
  { fileId, reason, createdBy }: Decision,
): Promise<ContentRuleRow> {
  const { db: trx, clock } = context;
  const file = await findFile(trx, fileId);
  const transfer = file && (await lockTransfer(trx, file.transferId));
  // Blocking the empty content would block unrelated transfers.
  if (!file || !transfer || file.sizeBytes === 0) throw new AppError('file_not_found');
  const sha256 = file.heldSha256 ?? file.sha256;
  if (sha256 === null) throw new AppError('checksums_pending', { retryAfterSeconds: CHECKSUM_RETRY_SECONDS });
  const now = clock.now();
  const decision = { sha256, verdict: 'blocked' as const, finding: file.finding, reason, createdBy, at: now };
  const rule = await upsertRule(trx, toRule(file, decision));
  await blockFile(trx, { fileId, transferId: transfer.id, userId: transfer.userId, sha256, now });
  await refreshScanState(trx, context, transfer.id);
  await enqueueApply(trx, { sha256, round: 0, runAt: 0 });
  return rule;
}

export async function unblockContent({ db: trx }: TrxContext, id: string): Promise<ContentRuleRow> {
  const rule = await deleteBlockedRule(trx, id);
  if (!rule) throw new AppError('content_rule_not_found');
  await enqueueApply(trx, { sha256: rule.sha256, round: 0, runAt: 0 });
  return rule;
}

type RuleFacts = Pick<ContentRuleRow, 'sha256' | 'verdict' | 'finding' | 'reason' | 'createdBy'> & {
  at: number;
};

function toRule({ relativePath, sizeBytes, crc32 }: FoundFile, { at, ...facts }: RuleFacts): ContentRuleRow {
  return { id: randomId(), fileName: relativePath, sizeBytes, crc32, createdAt: at, ...facts };
}

type ApplyRequest = { sha256: string; round: number; runAt: number };

function enqueueApply(trx: Trx, { sha256, round, runAt }: ApplyRequest): Promise<void> {
  const uniqueKey = `${sha256}:${round}`;
  return enqueue(trx, applyContentRuleJob, { sha256, round }, { uniqueKey, runAt });
}

async function applyContentRule(
  context: Context,
  { sha256, round }: { sha256: string; round: number },
  { signal }: JobRun,
): Promise<void> {
  const { db, clock } = context;
  const rule = await findRule(db, sha256);
  if (rule?.verdict === 'blocked') await blockAll(context, sha256, signal);
  else if (rule?.verdict === 'released') await releaseAll(context, sha256, signal);
  else await unblockAll(context, sha256, signal);
  const delayMs = APPLY_AGAIN_MS[round];
  if (rule?.verdict === 'blocked' && delayMs !== undefined)
    await transaction(db, (trx) =>
      enqueueApply(trx, { sha256, round: round + 1, runAt: clock.now() + delayMs }),
    );
}

async function blockAll(context: Context, sha256: string, signal: AbortSignal): Promise<void> {
  const { db, clock } = context;
  for (let after = ''; ; ) {
    const files = await listFilesOfContent(db, { sha256, after, limit: FILES_PER_LIST });
    for (const { fileId, transferId } of files) {
      signal.throwIfAborted();
      await transaction(db, async (trx) => {
        const transfer = await lockTransfer(trx, transferId);
        if (!transfer || (await findRule(trx, sha256))?.verdict !== 'blocked') return;
        if ((await findFile(trx, fileId))?.state === 'blocked') return;
        await blockFile(trx, { fileId, transferId, userId: transfer.userId, sha256, now: clock.now() });
        await refreshScanState(trx, context, transferId);
      });
    }
    if (files.length < FILES_PER_LIST) return;
    after = files.at(-1)!.fileId;
  }
}

async function releaseAll(context: Context, sha256: string, signal: AbortSignal): Promise<void> {
  await changeHeld(
    context,
    { sha256, states: ['infected', 'unscanned', 'blocked'], signal },
    async (trx, held) => {
      await deleteHeldFile(trx, { fileId: held.fileId, from: ['infected', 'unscanned', 'blocked'] });
    },
  );
}

/** A file may have been blocked before it was scanned, so with a scanner it waits for a scan. */
async function unblockAll(context: Context, sha256: string, signal: AbortSignal): Promise<void> {
  const { scanner, clock } = context;
  await changeHeld(context, { sha256, states: ['blocked'], signal }, async (trx, { fileId, userId }) => {
    const held = { fileId, from: ['blocked' as const] };
    if (!scanner) return void (await deleteHeldFile(trx, held));
    await updateHeldFile(trx, held, { state: 'waiting', finding: null, foundAt: null });
    await enqueueScan(trx, userId, clock.now());
  });
}

type Held = Awaited<ReturnType<typeof listHeldOfContent>>[number];
type HeldChange = Pick<Parameters<typeof listHeldOfContent>[1], 'sha256' | 'states'> & {
  signal: AbortSignal;
};

/** Changes files one transaction each. `change` must end the state, or this never returns. */
async function changeHeld(
  context: Context,
  { sha256, states, signal }: HeldChange,
  change: (trx: Trx, held: Held) => Promise<void>,
): Promise<void> {
  for (let count = FILES_PER_LIST; count === FILES_PER_LIST; ) {
    const files = await listHeldOfContent(context.db, { sha256, states, limit: FILES_PER_LIST });
    for (const held of files) {
      signal.throwIfAborted();
      await transaction(context.db, async (trx) => {
        await lockTransfer(trx, held.transferId);
        await change(trx, held);
        await refreshScanState(trx, context, held.transferId);
      });
    }
    count = files.length;
  }
}
