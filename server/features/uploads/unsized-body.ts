import { createReadStream, type ReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import { openNameless } from '../../platform/http/multipart-file.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { explainDiskError } from '../../platform/storage/disk-errors.ts';
import { receiveTail } from '../../platform/storage/receive-chunk.ts';
import { type ArrivalCount, countArrival } from './arriving-bytes.ts';
import { countReceivedBytes } from './chunk-garbage.ts';
import type { Uploader } from './uploader.ts';

/** A body that lies in a nameless file until `drop`, or the end of the process. */
export type HeldBody = { sizeBytes: number; read(): ReadStream; drop(): Promise<void> };

type Arriving = { uploader: Uploader; stream: Readable; folder: string };

/**
 * Receives a body whose size nobody knows before its end: only then can it be announced. Never whole in memory;
 * when it is refused, the rest is left unread. Throws AppError `chunk_cut_short` when the sender leaves,
 * `storage_full`, and what `countArrival` throws.
 */
export async function holdUnsizedBody(
  context: Context,
  { uploader, stream, folder }: Arriving,
): Promise<HeldBody> {
  const count = await countArrival(context, uploader);
  const file = await openNameless(folder);
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
  const take = (bytes: Buffer) => {
    countReceivedBytes(bytes.length);
    writing = append(file, bytes, count.add(bytes.length));
    return writing;
  };
  const tail = { index: 0, head: { sizeBytes: 0, crc32: 0 }, stream };
  try {
    const { sizeBytes } = await receiveTail(tail, Number.MAX_SAFE_INTEGER, take);
    if (!stream.readableEnded) throw new AppError('chunk_cut_short');
    return sizeBytes;
  } finally {
    // A sender may have left while its last bytes were still being written.
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
