import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Db } from '../db/open.ts';
import { locateBlob } from './blob-paths.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskStore } from './disk.ts';
import { MovingStore } from './moving.ts';

/**
 * The store the configuration asks for: an S3 bucket, or files in DATA_DIR; both where a bucket is asked for and
 * DATA_DIR still has files of before. The S3 client loads only when used.
 */
export async function openBlobStore(
  { s3, dataDir }: Pick<Config, 's3' | 'dataDir'>,
  db: Db,
): Promise<BlobStore> {
  const root = join(dataDir, 'blobs');
  if (!s3) return openDiskStore({ root });
  const [{ openS3BlobStore }, { dbPartNotes }] = await Promise.all([
    import('./s3.ts'),
    import('./part-notes.ts'),
  ]);
  const bucket = await openS3BlobStore({ ...s3, notes: dbPartNotes(db) });
  if (!(await isThere(root))) return bucket;
  const disk = await openDiskStore({ root });
  if (await isEmpty(disk)) {
    await disk.close();
    return bucket;
  }
  return new MovingStore({
    disk,
    bucket,
    isOnDisk: (storageKey) => isThere(locateBlob(root, storageKey).bytes),
    isPack: (storageKey) => isPack(db, storageKey),
  });
}

async function isEmpty(store: BlobStore): Promise<boolean> {
  for await (const _ of store.list()) return false;
  for await (const _ of store.listTrash()) return false;
  return true;
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function isPack(db: Db, storageKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('packs')
    .select('storageKey')
    .where('storageKey', '=', storageKey)
    .executeTakeFirst();
  return row !== undefined;
}
