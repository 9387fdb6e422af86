import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { OperatorContext } from '../../context.ts';
import type { StoredBlob } from '../../platform/storage/blob-store.ts';
import { type Reading, recordReadings } from '../checksums/index.ts';
import { findNamedKeys, listNamedBlobs, type NamedBlob } from '../uploads/index.ts';
import { forEachAtOnce } from './copy-blobs.ts';
import { readBlocks } from './read-blocks.ts';
import {
  listDamagedFiles,
  listFilesOfBlob,
  listStoredFiles,
  type StoredFile,
} from './stored-file-queries.ts';

const READS_AT_ONCE = 4;
const ORPHANS_AT_ONCE = 200;
const READ_BYTES = 1024 * 1024;

export type Finding =
  /** A row names a blob that is not there, or is shorter than the row says. */
  | { kind: 'missing' | 'short'; storageKey: string; sizeBytes: number }
  /** The bytes of a file are not those that were sent; `isKnown`: it is marked as damaged already. */
  | { kind: 'damaged'; storageKey: string; fileId: string; sizeBytes: number; isKnown: boolean }
  /** A blob that no row names. */
  | { kind: 'orphan'; storageKey: string; sizeBytes: number; modifiedAt: number };

export type StorageCheck = {
  blobs: number;
  files: number;
  findings: Finding[];
  /** Damaged files whose bytes are right again: they are offered again. */
  healed: number;
};

/**
 * Compares rows and storage beside a running server; `deep` reads every file and compares its CRC-32. Known damage
 * is a finding in every run until it is healed, which `deep` finds out. What is deleted meanwhile is no finding.
 * Memory grows with the findings only.
 */
export async function checkStorage(
  context: OperatorContext,
  { deep }: { deep: boolean },
): Promise<StorageCheck> {
  const check: StorageCheck = { blobs: 0, files: 0, findings: [], healed: 0 };
  await forEachAtOnce(listNamedBlobs(context.db), READS_AT_ONCE, async (blob) => {
    check.blobs += 1;
    const kind = await findFault(context, blob);
    if (kind && (await isStillNamed(context, blob.storageKey)))
      check.findings.push({ kind, storageKey: blob.storageKey, sizeBytes: blob.sizeBytes });
  });
  if (deep) await readAll(context, check);
  await listKnownDamage(context, check, { deep });
  for await (const { storageKey, sizeBytes, modifiedAt } of listOrphans(context))
    check.findings.push({ kind: 'orphan', storageKey, sizeBytes, modifiedAt });
  return check;
}

/** Its last byte is there; or any byte; or nothing. */
async function findFault(
  { blobs }: OperatorContext,
  { storageKey, sizeBytes }: NamedBlob,
): Promise<'missing' | 'short' | undefined> {
  const block = Buffer.alloc(1);
  const onPiece = () => undefined;
  if (await readBlocks(blobs, { storageKey, offset: sizeBytes - 1, sizeBytes: 1 }, { block, onPiece }))
    return undefined;
  const hasFirst = await readBlocks(blobs, { storageKey, offset: 0, sizeBytes: 1 }, { block, onPiece });
  return hasFirst ? 'short' : 'missing';
}

async function readAll(context: OperatorContext, check: StorageCheck): Promise<void> {
  const broken = new Set(check.findings.map(({ storageKey }) => storageKey));
  await forEachAtOnce(listStoredFiles(context.db), READS_AT_ONCE, async (file, block) => {
    if (broken.has(file.storageKey)) return;
    check.files += 1;
    if ((await sumUp(context, file, block)) === file.crc32) return;
    const { id: fileId, storageKey, sizeBytes } = file;
    if (await isStillNamed(context, storageKey))
      check.findings.push({ kind: 'damaged', storageKey, fileId, sizeBytes, isKnown: false });
  });
}

async function listKnownDamage(
  context: OperatorContext,
  check: StorageCheck,
  { deep }: { deep: boolean },
): Promise<void> {
  await forEachAtOnce(listDamagedFiles(context.db), READS_AT_ONCE, async (file, block) => {
    if (deep) {
      check.files += 1;
      const reading = await read(context, file, block);
      const [outcome] = await recordReadings(context, [reading]);
      if (outcome === 'healed') {
        check.healed += 1;
        return;
      }
    }
    const { id: fileId, storageKey, sizeBytes } = file;
    check.findings.push({ kind: 'damaged', storageKey, fileId, sizeBytes, isKnown: true });
  });
}

/**
 * Records what was found wrong with the files of a blob, or with one of them: a first finding makes them suspected,
 * a second one at least ten minutes later damaged. Returns how many files became either.
 */
export async function recordFinding(
  context: OperatorContext,
  { storageKey, fileId }: { storageKey: string; fileId?: string },
): Promise<number> {
  const block = Buffer.alloc(READ_BYTES);
  let recorded = 0;
  for (const file of await listFilesOfBlob(context.db, storageKey)) {
    if (fileId !== undefined && file.id !== fileId) continue;
    const reading = await read(context, file, block);
    if (reading.sums?.crc32 === file.crc32) continue;
    const [outcome] = await recordReadings(context, [reading]);
    if (outcome === 'suspected' || outcome === 'damaged') recorded += 1;
  }
  return recorded;
}

async function read({ blobs }: OperatorContext, file: StoredFile, block: Buffer): Promise<Reading> {
  const hash = createHash('sha256');
  let sum = 0;
  const onPiece = (piece: Buffer) => {
    sum = crc32(piece, sum);
    hash.update(piece);
  };
  const isWhole = await readBlocks(blobs, file, { block, onPiece });
  return { file, sums: isWhole ? { crc32: sum, sha256: hash.digest('hex') } : undefined };
}

async function sumUp({ blobs }: OperatorContext, file: StoredFile, block: Buffer): Promise<number> {
  let sum = 0;
  const onPiece = (piece: Buffer) => {
    sum = crc32(piece, sum);
  };
  return (await readBlocks(blobs, file, { block, onPiece })) ? sum : -1;
}

/** Not deleted since the rows were read. */
async function isStillNamed({ db }: OperatorContext, storageKey: string): Promise<boolean> {
  const file = await db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select('transfers.status')
    .where('storageKey', '=', storageKey)
    .executeTakeFirst();
  if (file) return file.status !== 'deleting';
  return (await findNamedKeys(db, [storageKey])).has(storageKey);
}

async function* listOrphans({ db, blobs }: OperatorContext): AsyncGenerator<StoredBlob> {
  let batch: StoredBlob[] = [];
  const unnamed = async () => {
    const keys = batch.map(({ storageKey }) => storageKey);
    const named = await findNamedKeys(db, keys);
    const found = batch.filter(({ storageKey }) => !named.has(storageKey));
    batch = [];
    return found;
  };
  for await (const blob of blobs.list()) {
    batch.push(blob);
    if (batch.length === ORPHANS_AT_ONCE) yield* await unnamed();
  }
  if (batch.length > 0) yield* await unnamed();
}
