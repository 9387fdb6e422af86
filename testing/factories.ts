import { Readable } from 'node:stream';
import { CHUNK_BYTES, chunkLength, planChunks } from '../contracts/plans/limits.ts';
import { DAY_MS } from '../contracts/values/durations.ts';
import type { Context } from '../server/context.ts';
import { hashPassword } from '../server/features/accounts/passwords/passwords.ts';
import { addRecipients } from '../server/features/transfers/mails/recipients.ts';
import type { FileRow } from '../server/platform/db/schema.ts';
import { transaction } from '../server/platform/db/transaction.ts';
import { randomId } from '../server/platform/lib/tokens.ts';
import type { Place } from '../server/platform/storage/blob-store.ts';

type NewFile = { path: string; bytes: Buffer | string; mimeType?: string };

type NewTransfer = {
  userId: string;
  files: NewFile[];
  title?: string;
  message?: string;
  recipientEmails?: string[];
  password?: string;
  maxDownloads?: number;
  autoDeleteAfterDownloads?: boolean;
  /** Epoch milliseconds. Three days from now by default. */
  expiresAt?: number;
  scheduledAvailableAt?: number;
};

export type ReadyTransfer = { id: string; token: string; files: FileRow[] };

const ROWS_PER_INSERT = 500;

/** Inserts a ready transfer with real blobs directly, without upload calls and without sending its mails. */
export async function createReadyTransfer(context: Context, transfer: NewTransfer): Promise<ReadyTransfer> {
  const { db, clock } = context;
  const now = clock.now();
  const [id, token, packKey] = [randomId(), randomId(), randomId()];
  const contents = transfer.files.map(({ bytes }) => Buffer.from(bytes));
  const places = placeFiles(contents, context.blobs.packsSmallFiles ? packKey : undefined);
  const sums = await storeFiles(context, contents, places);
  const files: FileRow[] = transfer.files.map(({ path, mimeType }, position) => ({
    id: randomId(),
    transferId: id,
    position,
    originalName: path.split('/').at(-1)!,
    relativePath: path,
    mimeType: mimeType ?? 'application/octet-stream',
    sizeBytes: places[position]!.sizeBytes,
    crc32: sums[position]!,
    storageKey: places[position]!.storageKey,
    offset: places[position]!.offset,
    uploadedAt: now,
    announcedAt: now,
    modifiedAt: null,
    isExecutable: 0,
    downloadCount: 0,
    zipBase: 0,
    sha256: null,
    checkedAt: null,
    damagedAt: null,
    verifyAt: now + 30 * DAY_MS,
    verifiedAt: null,
    suspectedAt: null,
    damageToldAt: null,
    sinceVersion: 1,
    untilVersion: null,
  }));
  const totalBytes = places.reduce((sum, place) => sum + place.sizeBytes, 0);
  await db
    .insertInto('transfers')
    .values({
      id,
      token,
      userId: transfer.userId,
      status: 'ready',
      title: transfer.title ?? null,
      message: transfer.message ?? null,
      recipientEmails: JSON.stringify(transfer.recipientEmails ?? []),
      expiresAt: transfer.expiresAt ?? now + 3 * DAY_MS,
      scheduledAvailableAt: transfer.scheduledAvailableAt ?? null,
      createdAt: now,
      readyAt: now,
      passwordHash: transfer.password === undefined ? null : await hashOnce(transfer.password),
      maxDownloads: transfer.maxDownloads ?? null,
      autoDeleteAfterDownloads: transfer.autoDeleteAfterDownloads ? 1 : 0,
      expectedFiles: files.length,
      fileCount: files.length,
      totalBytes,
      reservedBytes: totalBytes,
    })
    .execute();
  await transaction(db, (trx) => addRecipients(trx, id, transfer.recipientEmails ?? [], now));
  for (let start = 0; start < files.length; start += ROWS_PER_INSERT) {
    await db
      .insertInto('files')
      .values(files.slice(start, start + ROWS_PER_INSERT))
      .execute();
  }
  return { id, token, files };
}

/** Places files like uploads do: files of one chunk one after another in the pack, larger ones in their own blob. */
function placeFiles(contents: Buffer[], packKey: string | undefined): Place[] {
  let offset = 0;
  let firstSlot = 0;
  return contents.map(({ length: sizeBytes }) => {
    const { chunkSize, totalChunks: chunkCount } = planChunks(sizeBytes);
    if (packKey === undefined || sizeBytes > CHUNK_BYTES) {
      return { storageKey: randomId(), offset: 0, firstSlot: 0, sizeBytes, chunkSize, chunkCount };
    }
    const place = { storageKey: packKey, offset, firstSlot, sizeBytes, chunkSize, chunkCount };
    offset += sizeBytes;
    firstSlot += chunkCount;
    return place;
  });
}

const hashes = new Map<string, Promise<string>>();

/** Hashes each password once per process, because that takes 20 ms. */
function hashOnce(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, hash);
  return hash;
}

/** Returns the CRC-32 of each file. */
async function storeFiles({ blobs }: Context, contents: Buffer[], places: Place[]): Promise<number[]> {
  for (const [position, place] of places.entries()) {
    if (place.sizeBytes > 0) await blobs.prepare(place);
    for (let index = 0; index < place.chunkCount; index += 1) {
      const start = index * place.chunkSize;
      const end = start + chunkLength(place.sizeBytes, place.chunkSize, index);
      await blobs.writeChunk(place, {
        index,
        stream: Readable.from([contents[position]!.subarray(start, end)]),
      });
    }
  }
  const filled = places.filter((place) => place.sizeBytes > 0);
  const sealed = (await blobs.seal(filled)).values();
  return places.map((place) => (place.sizeBytes > 0 ? sealed.next().value!.crc32 : 0));
}
