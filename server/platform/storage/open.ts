import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Db } from '../db/open.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskStore } from './disk.ts';

/** The store the configuration asks for: an S3 bucket, or files in DATA_DIR. The S3 client loads only when used. */
export async function openBlobStore(
  { s3, dataDir }: Pick<Config, 's3' | 'dataDir'>,
  db: Db,
): Promise<BlobStore> {
  if (!s3) return openDiskStore({ root: join(dataDir, 'blobs') });
  const [{ openS3BlobStore }, { dbPartNotes }] = await Promise.all([
    import('./s3.ts'),
    import('./part-notes.ts'),
  ]);
  return openS3BlobStore({ ...s3, notes: dbPartNotes(db) });
}
