import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CHUNK_BYTES, chunkLength, planChunks } from '../../../../../contracts/plans/limits.ts';
import { formatSize, KIB, MIB } from '../../../../../contracts/values/sizes.ts';
import type { Context } from '../../../../context.ts';
import { isAppError } from '../../../../platform/lib/app-error.ts';
import { randomId } from '../../../../platform/lib/tokens.ts';
import {
  type BlobStore,
  type DirectAccess,
  DirectRefusal,
  type Place,
} from '../../../../platform/storage/blob-store.ts';
import { reserveOf } from '../../../../platform/storage/disk/disk-space.ts';
import { isStorageOurs } from '../../../../platform/storage/installation/installation-guard.ts';
import { type Check, type Finding, reasonOf } from './check.ts';

type Deps = Pick<Context, 'blobs' | 'config'>;
const SMALL_BYTES = 64 * KIB;
const LARGE_BYTES = 12 * MIB;
const BLOCK_BYTES = 64 * KIB;

/** Warns below this share of free space, which is before uploads are refused. */
const SCARCE_SHARE = 0.1;

export function checkInstallation({ blobs, config }: Deps): Check {
  return {
    name: 'installation',
    title: 'Installation',
    run: async () => {
      if (await isStorageOurs(blobs)) return ok('Database and storage carry the same installation id.');
      return {
        state: 'failed',
        found: `${describeStore(config)}: the marker of this installation is missing or another one. Uploads are refused.`,
        fix: config.s3
          ? 'Check S3_BUCKET and S3_PREFIX, and that no other installation uses them. If the storage is the right one, run adopt-storage and restart the server.'
          : `Check that the volume of ${config.dataDir} is mounted. If the storage is the right one, run adopt-storage and restart the server.`,
      };
    },
    fixOf: () => fixFor(config),
  };
}

export function checkStorage({ blobs, config }: Deps): Check {
  return {
    name: 'storage',
    title: 'Storage',
    run: async () => {
      await blobs.check();
      await tryBlob(blobs, SMALL_BYTES);
      return ok(`${describeStore(config)}: put, get, range and remove work.`);
    },
    fixOf: () => fixFor(config),
  };
}

export function checkMultipart({ blobs, config }: Deps): Check {
  return {
    name: 'storage-multipart',
    title: 'Large files',
    run: async () => {
      await tryBlob(blobs, LARGE_BYTES);
      const { totalChunks } = planChunks(LARGE_BYTES);
      return ok(
        `${formatSize(LARGE_BYTES)} in ${totalChunks} parts went in, came back byte for byte, and is gone.`,
      );
    },
    fixOf: () =>
      config.s3
        ? 'Allow the key CreateMultipartUpload, UploadPart, CompleteMultipartUpload, AbortMultipartUpload and DeleteObject in this bucket, and let the way there pass bodies of 5 MiB.'
        : fixFor(config),
  };
}

/** Only a warning: without direct access, all bytes pass through this server. */
export function checkDirect(direct: DirectAccess, publicUrl: string): Check {
  return {
    name: 'storage-direct',
    title: 'Straight to the bucket',
    run: async () => {
      try {
        await direct.verify(new URL(publicUrl).origin);
        const found = `Browsers access ${direct.origin} directly: signed URLs, CORS and checksums work.`;
        return { state: 'ok', found };
      } catch (error) {
        if (!(error instanceof DirectRefusal)) throw error;
        const found = `${error.message} All bytes go through this server meanwhile.`;
        return { state: 'warning', found, fix: error.fix };
      }
    },
    fixOf: () => 'See the storage check first.',
  };
}

export function checkDisk({ blobs, config }: Deps): Check {
  return {
    name: 'disk',
    title: 'Disk space',
    run: async () => {
      const space = await blobs.freeSpace();
      if (!space) return ok('An S3 store does not say how much room it has.');
      const { freeBytes, totalBytes } = space;
      const found = `${formatSize(freeBytes)} of ${formatSize(totalBytes)} are free.`;
      const fix = `Make room on the disk of ${config.dataDir}: delete transfers, enlarge the disk, or move the files to S3 (S3_BUCKET).`;
      if (freeBytes < reserveOf(totalBytes)) {
        return { state: 'failed', found: `${found} New uploads are refused.`, fix };
      }
      if (freeBytes < totalBytes * SCARCE_SHARE) return { state: 'warning', found, fix };
      return ok(found);
    },
    fixOf: () => fixFor(config),
  };
}

async function tryBlob(blobs: BlobStore, sizeBytes: number): Promise<void> {
  const { chunkSize, totalChunks } = planChunks(sizeBytes);
  const place: Place = {
    storageKey: randomId(),
    offset: 0,
    sizeBytes,
    firstSlot: 0,
    chunkSize,
    chunkCount: totalChunks,
  };
  const block = randomBytes(BLOCK_BYTES);
  try {
    await step('put', () => putBlob(blobs, place, block));
    await step('get', () => readBlob(blobs, place, { start: 0, end: sizeBytes, block }));
    const middle = Math.min(CHUNK_BYTES, sizeBytes / 2);
    await step('range', () => readBlob(blobs, place, { start: middle - 1_000, end: middle + 1_000, block }));
  } finally {
    await step('remove', () => blobs.remove(place.storageKey));
  }
  await step('remove', () => requireGone(blobs, place.storageKey));
}

async function putBlob(blobs: BlobStore, place: Place, block: Buffer): Promise<void> {
  await blobs.prepare(place);
  for (let index = 0; index < place.chunkCount; index += 1) {
    const start = index * place.chunkSize;
    const end = start + chunkLength(place.sizeBytes, place.chunkSize, index);
    await blobs.writeChunk(place, { index, stream: Readable.from(repeat(block, start, end)) });
  }
  await blobs.seal([place]);
}

/** `start` and `end` are multiples of the block's length. */
function* repeat(block: Buffer, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += block.length) yield block;
}

type Reading = { start: number; end: number; block: Buffer };

async function readBlob(
  blobs: BlobStore,
  { storageKey }: Place,
  { start, end, block }: Reading,
): Promise<void> {
  const range = await blobs.openRange(storageKey, start, end);
  const view = Buffer.alloc(block.length);
  try {
    for (let at = start; at < end; ) {
      const offset = at % block.length;
      const length = Math.min(block.length - offset, end - at);
      const bytes = view.subarray(0, length);
      await range.fill([bytes]);
      if (!bytes.equals(block.subarray(offset, offset + length))) {
        throw new Error('The store returned other bytes than were put into it.');
      }
      at += length;
    }
  } finally {
    await range.close();
  }
}

async function requireGone(blobs: BlobStore, storageKey: string): Promise<void> {
  const isGone = await blobs.openRange(storageKey, 0, 1).then(
    // Some stores only send the request when the first byte is read.
    (range) =>
      range
        .fill([Buffer.alloc(1)])
        .then(() => false)
        .catch(() => true)
        .finally(() => range.close()),
    (error: unknown) => isAppError(error, 'file_not_found'),
  );
  if (!isGone) throw new Error('A removed blob can still be read.');
}

async function step<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new Error(`${name}: ${reasonOf(error)}`, { cause: error });
  }
}

function describeStore({ s3, dataDir }: Context['config']): string {
  return s3 ? `S3 bucket ${s3.bucket}` : `Files in ${dataDir}`;
}

function fixFor({ s3, dataDir }: Context['config']): string {
  if (!s3)
    return `Let the server's user read and write ${dataDir}, and see that its disk has room and no errors.`;
  return `Check S3_ENDPOINT, S3_REGION, S3_BUCKET (${s3.bucket}) and the keys: they need PutObject, GetObject, DeleteObject and ListBucket.`;
}

function ok(found: string): Finding {
  return { state: 'ok', found };
}
