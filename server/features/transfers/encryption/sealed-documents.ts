import { z } from 'zod';
import type { Context } from '../../../context.ts';
import type { Db, Trx } from '../../../platform/db/open.ts';
import type { SealedDocumentRow, TransferRow } from '../../../platform/db/schema.ts';
import { sendBytes } from '../../../platform/http/bytes/send-bytes.ts';
import type { Exchange } from '../../../platform/http/routing/identity.ts';
import { defineJob } from '../../../platform/jobs/define-job.ts';
import { enqueue } from '../../../platform/jobs/queue.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { blobSource } from '../../../platform/lib/byte-source.ts';
import { releaseDocumentBytes } from '../limits/usage.ts';

export type SealedKind = SealedDocumentRow['kind'];

type Which = { transferId: string; kind: SealedKind };

export async function findSealedDocument(
  db: Db,
  { transferId, kind }: Which,
): Promise<SealedDocumentRow | undefined> {
  return await db
    .selectFrom('sealedDocuments')
    .selectAll()
    .where('transferId', '=', transferId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

/** 0 without a manifest. */
export async function findManifestRevision(db: Db, transferId: string): Promise<number> {
  return (await findSealedDocument(db, { transferId, kind: 'manifest' }))?.revision ?? 0;
}

/**
 * Recipients find the files of an encrypted transfer by its manifest only. Throws AppError `manifest_missing` unless a
 * later revision than `known` is stored.
 */
export async function requireManifest(
  trx: Trx,
  { id, encryption }: Pick<TransferRow, 'id' | 'encryption'>,
  known = 0,
): Promise<void> {
  if (encryption !== null && (await findManifestRevision(trx, id)) <= known)
    throw new AppError('manifest_missing');
}

const REVISION_HEADERS = {
  manifest: 'sendwell-manifest-revision',
  pictures: 'sendwell-pictures-revision',
} as const;

/**
 * Answers a GET or HEAD with the current revision; the caller has checked access. Throws AppError `not_found` if there
 * is none, and what `sendBytes` throws.
 */
export async function sendSealedDocument(
  { db, blobs }: Pick<Context, 'db' | 'blobs'>,
  which: Which,
  { request, reply }: Exchange,
): Promise<void> {
  const found = await findSealedDocument(db, which);
  if (!found) throw new AppError('not_found');
  const { kind, revision, storageKey, sizeBytes, storedAt } = found;
  reply.header(REVISION_HEADERS[kind], revision);
  await sendBytes(request, reply, blobSource(blobs, { storageKey, offset: 0, sizeBytes }), {
    etag: `"${kind}-${revision}"`,
    lastModifiedAt: storedAt,
    contentType: 'application/octet-stream',
    fileName: `${kind}.sealed`,
  });
}

/** Removes the bytes of a document that was replaced, or whose draft is gone. */
export const removeSealedBlobJob = defineJob<Context, { storageKey: string }>({
  name: 'remove-sealed-blob',
  payload: z.object({ storageKey: z.string() }),
  removesBytes: true,
  run: async ({ db, blobs }, { storageKey }) => {
    if (!(await isStored(db, storageKey))) await blobs.remove(storageKey);
  },
});

async function isStored(db: Db, storageKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('sealedDocuments')
    .select('revision')
    .where('storageKey', '=', storageKey)
    .executeTakeFirst();
  return row !== undefined;
}

export type DiscardedDocument = SealedDocumentRow & { userId: string };

export async function listSealedDocuments(db: Db, transferId: string): Promise<DiscardedDocument[]> {
  return await db
    .selectFrom('sealedDocuments')
    .innerJoin('transfers', 'transfers.id', 'sealedDocuments.transferId')
    .selectAll('sealedDocuments')
    .select('transfers.userId')
    .where('transferId', '=', transferId)
    .execute();
}

/** Call it once no row names the document any more. Its bytes no longer count; a job removes them. */
export async function discardDocument(trx: Trx, document: DiscardedDocument): Promise<void> {
  const { storageKey } = document;
  await releaseDocumentBytes(trx, document);
  await enqueue(trx, removeSealedBlobJob, { storageKey }, { uniqueKey: storageKey });
}
