import type { publishTransfer as publishCall } from '../../../../contracts/transfers/arrival.ts';
import type { TransferSettings } from '../../../../contracts/transfers/transfers.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import {
  applySettings,
  becomeReadyIfComplete,
  chargeMails,
  type DecidedSettings,
  decideSettings,
  findOwnTransfer,
  listDecidedEmails,
  lockOwnTransfer,
  markArriving,
  requireIncludedSettings,
  requireManifest,
  requireSealedSettings,
} from '../../transfers/index.ts';
import { countOpenUploads } from '../core/queries.ts';
import { enqueueReadyJobs } from '../core/ready-jobs.ts';
import { requireAccess, type Uploader } from '../core/uploader.ts';

type Published = (typeof publishCall)['response']['_zod']['output'];

type Publication = { transferId: string; expectedFiles: number; settings: TransferSettings };

/**
 * Opens the link of a draft while its files arrive. The settings are those of the first completion, if there was none
 * yet. Idempotent. Throws AppError `transfer_not_found`, `files_not_announced`, `manifest_missing`, `publish_scanned`, and
 * what `decideSettings` and `chargeMails` throw.
 */
export async function publishTransfer(
  context: Context,
  uploader: Uploader,
  { transferId, expectedFiles, settings }: Publication,
): Promise<Published> {
  const { db, config } = context;
  const { owner } = uploader;
  const transfer = await findOwnTransfer(db, owner.id, transferId);
  requireAccess(uploader, transfer);
  if (transfer.status !== 'draft') return present(transfer);
  requireIncludedSettings(owner, settings);
  requireSealedSettings(transfer, settings);
  if (config.scan !== undefined) throw new AppError('publish_scanned');
  const decided = await decideSettings(context, owner, settings);
  return transaction(db, (trx) =>
    commitPublication(trx, context, { uploader, transferId, expectedFiles, settings, decided }),
  );
}

type Commit = Publication & { uploader: Uploader; decided: DecidedSettings };

async function commitPublication(
  trx: Trx,
  context: Context,
  { uploader, transferId, expectedFiles, settings, decided }: Commit,
): Promise<Published> {
  const { owner, address } = uploader;
  const now = context.clock.now();
  const transfer = await lockOwnTransfer(trx, owner.id, transferId);
  if (transfer.status !== 'draft') return present(transfer);
  const announced = transfer.fileCount + (await countOpenUploads(trx, transferId));
  if (announced < expectedFiles)
    throw new AppError('files_not_announced', { details: { announced, expected: expectedFiles } });
  await requireManifest(trx, transfer);
  const isFirst = await applySettings(trx, transferId, { settings: decided, fileCount: announced });
  if (isFirst) {
    const emails = listDecidedEmails(decided);
    await chargeMails(trx, context, { senderId: owner.id, emails, address });
  }
  const expiresAfterMs = findLifetime(transfer, { isFirst, settings, decided, now });
  const arriving = await markArriving(trx, { transferId, now, expectedFiles: announced, expiresAfterMs });
  if (!arriving) throw new AppError('conflict');
  // All files may have arrived already.
  if (await becomeReadyIfComplete(trx, context, transferId)) {
    await enqueueReadyJobs(trx, { owner, transfer: arriving, now });
    return { ...present(arriving), status: 'ready' };
  }
  return present(arriving);
}

type Lifetime = {
  isFirst: boolean;
  settings: TransferSettings;
  decided: DecidedSettings;
  now: number;
};

/** How long the transfer is kept once everything has arrived. Null for an expiry at a fixed time. */
function findLifetime(
  transfer: Pick<TransferRow, 'expiresAt' | 'createdAt'>,
  { isFirst, settings, decided, now }: Lifetime,
): number | null {
  if (isFirst) return settings.expiresAt === undefined ? decided.expiresAt - now : null;
  // The first completion has set the expiry; the remaining time counts from the end of the upload.
  return transfer.expiresAt === null ? null : Math.max(0, transfer.expiresAt - now);
}

function present({ id, token, status }: Pick<TransferRow, 'id' | 'token' | 'status'>): Published {
  return { token, transfer: { id }, status: status === 'ready' ? 'ready' : 'arriving' };
}
