import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { TierLimits } from '../../../../contracts/plans/tiers.ts';
import {
  isManifestSize,
  MANIFEST_MAX_BYTES,
  PICTURES_MAX_BYTES,
  plainSize,
} from '../../../../contracts/transfers/encryption.ts';
import type { Context } from '../../../context.ts';
import type { Trx } from '../../../platform/db/open.ts';
import type { SealedDocumentRow, TransferRow } from '../../../platform/db/schema.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { BodySlices } from '../../../platform/http/bodies/body-slices.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { monthOf } from '../../../platform/lib/clock.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { receiveTail } from '../../../platform/storage/receive-chunk.ts';
import { writeBlobFrom } from '../../../platform/storage/write-blob.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import {
  discardDocument,
  findOwnTransfer,
  findSealedDocument,
  isExpired,
  lockOwnTransfer,
  reserveBytes,
  type SealedKind,
} from '../../transfers/index.ts';
import { requireFreeSpace } from '../core/disk-reservations.ts';
import { requireAccess, requireStillOpen, type Uploader } from '../core/uploader.ts';
import { hidePlanLimits, lockInvitation } from '../visitors/visitors.ts';

type SentDocument = {
  transferId: string;
  kind: SealedKind;
  revision: number;
  stream: Readable;
  declaredBytes: number | undefined;
};

/**
 * Stores the next revision of a sealed manifest or of the sealed thumbnails; durable when it resolves. The stored
 * revision again with the same bytes is a success. Its bytes count against the plan like those of files. Throws AppError
 * `invalid_input` (no length), `body_too_large`, `must_be_encrypted` (a length that no sealed document has),
 * `transfer_not_found`, `transfer_expired`, `transfer_used_up`, `not_found` (not encrypted), `manifest_outdated`,
 * `storage_full`, `chunk_cut_short`, and the refusals of `reserveBytes`.
 */
export async function storeDocument(context: Context, uploader: Uploader, sent: SentDocument): Promise<void> {
  const { db, blobs } = context;
  const sizeBytes = requireSealedLength(sent);
  const { transferId } = sent;
  requireOpen(context, uploader, await findOwnTransfer(db, uploader.owner.id, transferId));
  const stored = await findSealedDocument(db, sent);
  if (stored && stored.revision === sent.revision) return requireSame(stored, await hashBody(sent));
  requireNext(stored, sent.revision);
  await requireFreeSpace(context, sizeBytes);
  const storageKey = randomId();
  const sha256 = await receiveBlob(blobs, { storageKey, sizeBytes, stream: sent.stream });
  const document = { transferId, kind: sent.kind, revision: sent.revision, storageKey, sizeBytes, sha256 };
  const limits = limitsOf(await getTierConfig(context), uploader.owner.tier);
  try {
    await hidePlanLimits(uploader, () =>
      transaction(db, (trx) => commitDocument(trx, context, { uploader, limits, document })),
    );
  } catch (error) {
    // If this is interrupted, the sweep finds the blob without a row.
    await blobs.remove(storageKey);
    const current = await findSealedDocument(db, sent);
    if (current?.revision !== sent.revision || current.sha256 !== sha256) throw error;
  }
}

function requireSealedLength({ kind, declaredBytes }: SentDocument): number {
  if (declaredBytes === undefined)
    throw new AppError('invalid_input', { message: 'Please send the Content-Length of the body.' });
  const maxBytes = kind === 'manifest' ? MANIFEST_MAX_BYTES : PICTURES_MAX_BYTES;
  if (declaredBytes > maxBytes) throw new AppError('body_too_large');
  const isSealed =
    kind === 'manifest' ? isManifestSize(declaredBytes) : plainSize(declaredBytes) !== undefined;
  if (!isSealed) throw new AppError('must_be_encrypted');
  return declaredBytes;
}

function requireOpen({ clock }: Pick<Context, 'clock'>, uploader: Uploader, transfer: TransferRow): void {
  requireAccess(uploader, transfer);
  requireStillOpen(uploader, transfer);
  if (transfer.encryption === null) throw new AppError('not_found');
  if (isExpired(transfer, clock.now())) throw new AppError('transfer_expired');
  if (transfer.closedAt !== null) throw new AppError('transfer_used_up');
}

type Stored = Pick<SealedDocumentRow, 'revision' | 'sha256'> | undefined;

function requireNext(stored: Stored, revision: number): void {
  const next = (stored?.revision ?? 0) + 1;
  if (revision !== next) throw new AppError('manifest_outdated', { details: { next } });
}

function requireSame(stored: NonNullable<Stored>, sha256: string): void {
  if (stored.sha256 !== sha256)
    throw new AppError('manifest_outdated', { details: { next: stored.revision + 1 } });
}

async function hashBody({ stream, declaredBytes }: SentDocument): Promise<string> {
  const hash = createHash('sha256');
  const tail = { index: 0, head: { sizeBytes: 0, crc32: 0 }, stream };
  const { sizeBytes } = await receiveTail(tail, declaredBytes!, (bytes) => void hash.update(bytes));
  if (sizeBytes < declaredBytes!) throw new AppError('chunk_cut_short');
  return hash.digest('hex');
}

type SentBlob = { storageKey: string; sizeBytes: number; stream: Readable };

/** Streams the body into a blob and returns its SHA-256 in hex. */
async function receiveBlob(
  blobs: Context['blobs'],
  { storageKey, sizeBytes, stream }: SentBlob,
): Promise<string> {
  const hash: Hash = createHash('sha256');
  const slices = new BodySlices(stream);
  const hashBytes = (bytes: Buffer) => void hash.update(bytes);
  stream.on('data', hashBytes);
  try {
    await writeBlobFrom(blobs, storageKey, {
      sizeBytes,
      read: (start, end) => slices.next(end - start),
    });
  } finally {
    stream.off('data', hashBytes);
    slices.release();
  }
  return hash.digest('hex');
}

type NewDocument = Omit<SealedDocumentRow, 'storedAt' | 'usageMonth'>;

type Commit = {
  uploader: Uploader;
  limits: TierLimits;
  document: NewDocument;
};

async function commitDocument(
  trx: Trx,
  context: Context,
  { uploader, limits, document }: Commit,
): Promise<void> {
  const { owner } = uploader;
  const { transferId, sizeBytes: bytes } = document;
  const now = context.clock.now();
  const month = monthOf(now);
  await lockInvitation(trx, context, uploader);
  const transfer = await lockOwnTransfer(trx, owner.id, transferId);
  requireOpen(context, uploader, transfer);
  const replaced = await findSealedDocument(trx, document);
  const row = { ...document, storedAt: now, usageMonth: month };
  if (!(await replaceDocument(trx, row)))
    throw new AppError('manifest_outdated', { details: { next: (replaced?.revision ?? 0) + 1 } });
  if (replaced) await discardDocument(trx, { ...replaced, userId: owner.id });
  await reserveBytes(trx, { owner, limits, transferId, bytes, month });
}

/** Returns false unless the stored revision is the previous one, or there is none and this is the first. */
async function replaceDocument(trx: Trx, row: SealedDocumentRow): Promise<boolean> {
  const { transferId, kind, ...columns } = row;
  const stored =
    row.revision === 1
      ? await trx
          .insertInto('sealedDocuments')
          .values(row)
          .onConflict((conflict) => conflict.columns(['transferId', 'kind']).doNothing())
          .returning('revision')
          .executeTakeFirst()
      : await trx
          .updateTable('sealedDocuments')
          .set(columns)
          .where('transferId', '=', transferId)
          .where('kind', '=', kind)
          .where('revision', '=', row.revision - 1)
          .returning('revision')
          .executeTakeFirst();
  return stored !== undefined;
}
