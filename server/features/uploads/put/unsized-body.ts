import { createReadStream, type ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { formatSize, MIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { openUnnamedFile } from '../../../platform/http/bodies/form-files.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { monthOf } from '../../../platform/lib/clock.ts';
import { explainDiskError } from '../../../platform/storage/disk/disk-errors.ts';
import { receiveTail } from '../../../platform/storage/receive-chunk.ts';
import { getTierConfig, limitsOf } from '../../tiers/index.ts';
import { findUsage } from '../../transfers/index.ts';
import { countReceivedBytes } from '../chunks/garbage-collection.ts';
import { requireFreeSpace } from '../core/disk-reservations.ts';
import type { Uploader } from '../core/uploader.ts';

/** An unlinked file that exists until `drop` is called or the process ends. */
type BufferedBody = { sizeBytes: number; read(): ReadStream; drop(): Promise<void> };

type ArrivingBytes = { uploader: Uploader; stream: Readable; folder: string };

/**
 * Buffers a body of unknown size on disk, because announcing an upload needs its size. Leaves the rest of a refused
 * body unread. Throws AppError `chunk_cut_short` if the client disconnects, `storage_full`, and what
 * `countArrivingBytes` throws.
 */
export async function bufferUnsizedBody(
  context: Context,
  { uploader, stream, folder }: ArrivingBytes,
): Promise<BufferedBody> {
  const count = await countArrivingBytes(context, uploader);
  const file = await openUnnamedFile(folder);
  try {
    const sizeBytes = await receive(stream, { file, count });
    const read = () => createReadStream('', { fd: file.fd, autoClose: false, start: 0 });
    return { sizeBytes, read, drop: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  } finally {
    count.leave();
  }
}

async function receive(
  stream: Readable,
  { file, count }: { file: FileHandle; count: ArrivalCount },
): Promise<number> {
  let writing: Promise<void> | undefined;
  const receiveBytes = (bytes: Buffer) => {
    countReceivedBytes(bytes.length);
    writing = append(file, bytes, count.add(bytes.length));
    return writing;
  };
  const tail = { index: 0, head: { sizeBytes: 0, crc32: 0 }, stream };
  try {
    const { sizeBytes } = await receiveTail(tail, Number.MAX_SAFE_INTEGER, receiveBytes);
    if (!stream.readableEnded) throw new AppError('chunk_cut_short');
    return sizeBytes;
  } finally {
    // The sender may disconnect while its last bytes are still being written.
    await writing?.catch(() => undefined);
  }
}

async function append(file: FileHandle, bytes: Buffer, mayGoOn: Promise<void> | undefined): Promise<void> {
  await mayGoOn;
  try {
    await file.appendFile(bytes);
  } catch (error) {
    throw explainDiskError(error);
  }
}

const SPACE_CHECK_BYTES = 64 * MIB;

const arriving = new Map<string, number>();

type ArrivalCount = { add(bytes: number): Promise<void> | undefined; leave(): void };

/**
 * Checks a body of unknown size against its owner's limits while it arrives, together with the owner's other bodies,
 * so that they cannot fill the disk with bytes that will be refused. `add` throws AppError `transfer_limit_exceeded`,
 * `monthly_limit_exceeded`, `storage_full`.
 */
async function countArrivingBytes(
  context: Pick<Context, 'db' | 'blobs' | 'clock'>,
  { owner }: Uploader,
): Promise<ArrivalCount> {
  const { db, blobs, clock } = context;
  const { storagePerTransfer, monthlyTotal } = limitsOf(await getTierConfig(context), owner.tier);
  const remaining = Math.max(0, monthlyTotal - (await findUsage(db, owner.id, monthOf(clock.now()))));
  let mine = 0;
  let untilSpaceCheck = SPACE_CHECK_BYTES;
  const count = (bytes: number) => {
    mine += bytes;
    const all = (arriving.get(owner.id) ?? 0) + bytes;
    if (all > 0) arriving.set(owner.id, all);
    else arriving.delete(owner.id);
    return all;
  };
  return {
    add(bytes) {
      const all = count(bytes);
      const { tier } = owner;
      if (mine > storagePerTransfer)
        throw new AppError('transfer_limit_exceeded', {
          details: { tier, size: formatSize(storagePerTransfer) },
        });
      if (all > remaining)
        throw new AppError('monthly_limit_exceeded', {
          details: { tier, size: formatSize(monthlyTotal), remaining: formatSize(remaining) },
        });
      untilSpaceCheck -= bytes;
      if (untilSpaceCheck > 0) return undefined;
      untilSpaceCheck = SPACE_CHECK_BYTES;
      return requireFreeSpace({ blobs }, 0);
    },
    leave: () => void count(-mine),
  };
}
