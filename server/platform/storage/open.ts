import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Db } from '../db/open.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/logging/log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { BlobStore } from './blob-store.ts';
import { isThere, locateBlob } from './disk/blob-files.ts';
import { openDiskStore } from './disk/disk.ts';
import {
  type BlobNames,
  establishInstallation,
  type MarkedStorage,
  type MarkedStorages,
} from './installation/installation.ts';
import { guardStore, requireOwnStorage } from './installation/installation-guard.ts';
import { diskMarker } from './installation/installation-marker.ts';
import { MovingStore } from './moving/moving-store.ts';

type Place = Pick<Config, 's3' | 'dataDir'>;

type StoreParts = {
  onDiskFull?: (() => boolean) | undefined;
  metrics?: Metrics | undefined;
};

/** Throws InstallationMismatch if the storage belongs to another database. */
export async function openBlobStore(
  config: Place,
  parts: { db: Db; clock: Clock; log: Log; names: BlobNames } & StoreParts,
): Promise<BlobStore> {
  const storages = await openStorages(config, parts.db, parts);
  try {
    const installationId = await establishInstallation(parts, storages);
    const guarded = storages.inUse.map(({ store, ...each }) => ({
      ...each,
      store: guardStore(store, { ...each, installationId, log: parts.log }),
    }));
    return combineStorages({ ...storages, inUse: guarded }, config, parts.db);
  } catch (error) {
    await closeStorages(storages);
    throw error;
  }
}

/** Doesn't check the markers. Loads the S3 SDK only if needed. */
export async function openStorages(
  { s3, dataDir }: Place,
  db: Db,
  { onDiskFull, metrics }: StoreParts = {},
): Promise<MarkedStorages> {
  const root = join(dataDir, 'blobs');
  const folder = { kind: 'disk' as const, place: `the folder ${root}`, marker: diskMarker(root) };
  if (!s3)
    return {
      inUse: [{ ...folder, store: await openDiskStore({ root, onDiskFull, metrics }) }],
      emptyDisk: undefined,
    };
  const [{ openS3BlobStore }, { dbPartNotes }] = await Promise.all([
    import('./s3/s3.ts'),
    import('./s3/part-notes.ts'),
  ]);
  const store = await openS3BlobStore({ ...s3, notes: dbPartNotes(db), metrics });
  const place = `the bucket “${s3.bucket}” (S3_PREFIX ${s3.prefix})`;
  const bucket: MarkedStorage = { kind: 'bucket', place, store, marker: store.marker };
  if (!(await isThere(root))) return { inUse: [bucket], emptyDisk: folder };
  const disk = await openDiskStore({ root, onDiskFull, metrics });
  if (!(await isEmpty(disk))) return { inUse: [{ ...folder, store: disk }, bucket], emptyDisk: undefined };
  await disk.close();
  return { inUse: [bucket], emptyDisk: folder };
}

export function combineStorages({ inUse }: MarkedStorages, { dataDir }: Place, db: Db): BlobStore {
  const [first, bucket] = inUse.map(({ store }) => store);
  if (!bucket) return first!;
  const root = join(dataDir, 'blobs');
  return new MovingStore({
    disk: first!,
    bucket,
    isOnDisk: async (storageKey) => {
      // If its volume were unmounted, the disk would seem empty, and its uploads would continue in the
      // bucket.
      await requireOwnStorage(first!);
      return isThere(locateBlob(root, storageKey).bytes);
    },
    isPack: (storageKey) => isPack(db, storageKey),
  });
}

export async function closeStorages({ inUse }: MarkedStorages): Promise<void> {
  for (const { store } of inUse) await store.close();
}

async function isEmpty(store: BlobStore): Promise<boolean> {
  for await (const _ of store.list()) return false;
  for await (const _ of store.listTrash()) return false;
  return true;
}

async function isPack(db: Db, storageKey: string): Promise<boolean> {
  const row = await db
    .selectFrom('packs')
    .select('storageKey')
    .where('storageKey', '=', storageKey)
    .executeTakeFirst();
  return row !== undefined;
}
