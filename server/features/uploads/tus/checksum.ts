import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { BufferedChunk, MemoryBudget } from '../../../platform/storage/buffered-chunk.ts';
import { receiveTail } from '../../../platform/storage/receive-chunk.ts';
import type { TusChecksum } from './headers.ts';

/** Bytes with a checksum are buffered until it is verified, so their number is limited. */
const MAX_CHECKED_BYTES = 64 * MIB;
const memory = new MemoryBudget(32 * MIB);

type Checked = { stream: Readable; checksum: TusChecksum };

/**
 * Runs `store` with the bytes once all have arrived and their checksum is verified, so nothing of a truncated or
 * damaged piece is stored. Buffers in memory or, above the budget, in an unlinked file. Throws AppError
 * `tus_checksum_mismatch`, `chunk_cut_short`, `body_too_large`.
 */
export async function storeChecked<T>(
  { stream, checksum }: Checked,
  store: (bytes: { stream: Readable; sizeBytes: number }) => Promise<T>,
): Promise<T> {
  const held = new BufferedChunk(memory, tmpdir());
  try {
    const sizeBytes = await bufferVerified(held, { stream, checksum });
    return await store({ stream: Readable.from(held.open(), { objectMode: false }), sizeBytes });
  } finally {
    await held.release();
  }
}

async function bufferVerified(held: BufferedChunk, { stream, checksum }: Checked): Promise<number> {
  const { algorithm, value } = checksum;
  const hash = algorithm === 'crc32' ? undefined : createHash(algorithm);
  let adding: Promise<void> | undefined;
  const all = await receiveTail(
    { index: 0, head: { sizeBytes: 0, crc32: 0 }, stream },
    MAX_CHECKED_BYTES,
    (bytes) => {
      hash?.update(bytes);
      adding = held.add(bytes);
      return adding;
    },
  ).catch(tooLarge);
  await adding;
  if (!stream.readableEnded) throw new AppError('chunk_cut_short');
  const actual = hash?.digest() ?? bigEndian(all.crc32);
  if (!actual.equals(value)) throw new AppError('tus_checksum_mismatch');
  return all.sizeBytes;
}

function tooLarge(cause: unknown): never {
  throw isAppError(cause, 'chunk_too_long') ? new AppError('body_too_large', { cause }) : cause;
}

function bigEndian(crc: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc);
  return bytes;
}
