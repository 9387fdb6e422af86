import { type ChunkPlan, planChunks } from '../../../contracts/plans/limits.ts';
import {
  encryptedSize,
  SEGMENT_BYTES,
  SEGMENT_PLAIN_BYTES,
} from '../../../contracts/transfers/encryption.ts';

/** The chunks of an encrypted file in bytes of its plaintext: each becomes one of `planChunks`. */
export function planSealedChunks(size: number): ChunkPlan {
  const { chunkSize, totalChunks } = planChunks(encryptedSize(size));
  return { chunkSize: (chunkSize / SEGMENT_BYTES) * SEGMENT_PLAIN_BYTES, totalChunks };
}
