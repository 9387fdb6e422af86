import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { MIB } from '../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../server/context.ts';
import { type Reading, recordReadings } from '../../server/features/checksums/index.ts';
import { findNamedKeys, listNamedBlobs, type NamedBlob } from '../../server/features/uploads/index.ts';
import type { Db } from '../../server/platform/db/open.ts';
import type { FileRow } from '../../server/platform/db/schema.ts';
import type { StoredBlob } from '../../server/platform/storage/blob-store.ts';
import { forEachAtOnce, readBlocks } from '../stored-bytes.ts';

const READS_AT_ONCE = 4;
const ORPHANS_AT_ONCE = 200;

export type Finding =
  /** A blob with a row is missing or shorter than the row says. */
  | { kind: 'missing' | 'short'; storageKey: string; sizeBytes: number }
  /** The bytes differ from those that were uploaded. `isKnown`: the file is already marked as damaged. */
  | { kind: 'damaged'; storageKey: string; fileId: string; sizeBytes: number; isKnown: boolean }
  /** A blob without a row. */
  | { kind: 'orphan'; storageKey: string; sizeBytes: number; modifiedAt: number };

export type StorageCheck = {
  blobs: number;
  /** Files read. */
  files: number;
  findings: Finding[];
  /** Files that were marked as damaged and are served again, because their bytes are right. */
  healed: number;
};

/**
 * Compares the rows with the storage, also while a server is running. `deep` reads every file, compares its CRC-32,
 * and heals files marked as damaged whose bytes are right. Ignores anything deleted during the check. Memory use is
 * independent of the number of files.
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
  if (deep) await readAllFiles(context, check);
  await addKnownDamage(context, check, { deep });
  for await (const { storageKey, sizeBytes, modifiedAt } of listOrphans(context))
    check.findings.push({ kind: 'orphan', storageKey, sizeBytes, modifiedAt });
  return check;
}

/**
 * Records a finding about the files of a blob, or about one of them. The first finding marks a file as suspected, a
 * second one at least ten minutes later as damaged. Returns the number of files it marked.
 */
export async function recordFinding(
  context: OperatorContext,
  { storageKey, fileId }: { storageKey: string; fileId?: string },
): Promise<number> {
  const block = Buffer.alloc(MIB);
  let recorded = 0;
  for (const file of await listFilesOfBlob(context.db, storageKey)) {
    if (fileId !== undefined && file.id !== fileId) continue;
    const reading = await readFile(context, file, block);
    if (reading.sums?.crc32 === file.crc32) continue;
    const [outcome] = await recordReadings(context, [reading]);
    if (outcome === 'suspected' || outcome === 'damaged') recorded += 1;
  }
  return recorded;
}

/** Reads the last byte, and the first one if the last is missing. */
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

async function readAllFiles(context: OperatorContext, check: StorageCheck): Promise<void> {
  const broken = new Set(check.findings.map(({ storageKey }) => storageKey));
  await forEachAtOnce(listFiles(context.db), READS_AT_ONCE, async (file, block) => {
    if (broken.has(file.storageKey)) return;
    check.files += 1;
    if ((await computeCrc32(context, file, block)) === file.crc32) return;
    const { id: fileId, storageKey, sizeBytes } = file;
    if (await isStillNamed(context, storageKey))
      check.findings.push({ kind: 'damaged', storageKey, fileId, sizeBytes, isKnown: false });
  });
}

async function addKnownDamage(
  context: OperatorContext,
  check: StorageCheck,
  { deep }: { deep: boolean },
): Promise<void> {
  await forEachAtOnce(listDamagedFiles(context.db), READS_AT_ONCE, async (file, block) => {
    if (deep) {
      check.files += 1;
      const reading = await readFile(context, file, block);
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

async function readFile({ blobs }: OperatorContext, file: StoredFile, block: Buffer): Promise<Reading> {
  const hash = createHash('sha256');
  let sum = 0;
  const onPiece = (piece: Buffer) => {
    sum = crc32(piece, sum);
    hash.update(piece);
  };
  const isWhole = await readBlocks(blobs, file, { block, onPiece });
  return { file, sums: isWhole ? { crc32: sum, sha256: hash.digest('hex') } : undefined };
}

/** -1 if bytes are missing. */
async function computeCrc32({ blobs }: OperatorContext, file: StoredFile, block: Buffer): Promise<number> {
  let sum = 0;
  const onPiece = (piece: Buffer) => {
    sum = crc32(piece, sum);
  };
  return (await readBlocks(blobs, file, { block, onPiece })) ? sum : -1;
}

/** False if the blob was deleted after its row was read. */
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
  const filterBatch = async () => {
    const keys = batch.map(({ storageKey }) => storageKey);
    const named = await findNamedKeys(db, keys);
    const orphans = batch.filter(({ storageKey }) => !named.has(storageKey));
    batch = [];
    return orphans;
  };
  for await (const blob of blobs.list()) {
    batch.push(blob);
    if (batch.length === ORPHANS_AT_ONCE) yield* await filterBatch();
  }
  if (batch.length > 0) yield* await filterBatch();
}

const FILE_COLUMNS = [
  'id',
  'storageKey',
  'offset',
  'sizeBytes',
  'crc32',
  'sha256',
  'checkedAt',
  'suspectedAt',
  'damagedAt',
] as const satisfies (keyof FileRow)[];

type StoredFile = Pick<FileRow, (typeof FILE_COLUMNS)[number]>;

const PAGE = 1000;

/** Skips empty files and those being deleted or marked as damaged. The files of a pack are consecutive. */
async function* listFiles(db: Db): AsyncGenerator<StoredFile> {
  let after: Pick<FileRow, 'id' | 'storageKey'> = { storageKey: '', id: '' };
  for (;;) {
    const { storageKey, id } = after;
    const page = await selectFiles(db)
      .where((eb) =>
        eb.or([
          eb('storageKey', '>', storageKey),
          eb.and([eb('storageKey', '=', storageKey), eb('files.id', '>', id)]),
        ]),
      )
      .where('sizeBytes', '>', 0)
      .where('damagedAt', 'is', null)
      .orderBy('storageKey')
      .orderBy('files.id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!;
  }
}

/** Oldest damage first. */
async function* listDamagedFiles(db: Db): AsyncGenerator<StoredFile> {
  let [afterAt, afterId] = [0, ''];
  for (;;) {
    const [at, id] = [afterAt, afterId];
    const page = await selectFiles(db)
      .where('damagedAt', 'is not', null)
      .where('damagedAt', '>=', at)
      .where((eb) => eb.or([eb('damagedAt', '>', at), eb('files.id', '>', id)]))
      .orderBy('damagedAt')
      .orderBy('files.id')
      .limit(PAGE)
      .execute();
    yield* page;
    if (page.length < PAGE) return;
    [afterAt, afterId] = [page.at(-1)!.damagedAt!, page.at(-1)!.id];
  }
}

/** Skips empty files and those marked as damaged. */
async function listFilesOfBlob(db: Db, storageKey: string): Promise<StoredFile[]> {
  return await selectFiles(db)
    .where('storageKey', '=', storageKey)
    .where('sizeBytes', '>', 0)
    .where('damagedAt', 'is', null)
    .orderBy('offset')
    .execute();
}

function selectFiles(db: Db) {
  return db
    .selectFrom('files')
    .innerJoin('transfers', 'transfers.id', 'files.transferId')
    .select(FILE_COLUMNS.map((column) => `files.${column}` as const))
    .where('transfers.status', '<>', 'deleting');
}
