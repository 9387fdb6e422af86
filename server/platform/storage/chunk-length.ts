import { AppError } from '../lib/app-error.ts';
import type { Place } from './blob-store.ts';

/**
 * The exact length in bytes of chunk `index`: `chunkSize`, or what is left for the last one.
 * Throws AppError `chunk_index_out_of_range`.
 */
export function chunkLengthAt(place: Place, index: number): number {
  if (!Number.isInteger(index) || index < 0 || index >= place.chunkCount) {
    throw new AppError('chunk_index_out_of_range', { details: { totalChunks: place.chunkCount, index } });
  }
  return Math.min(place.chunkSize, place.sizeBytes - index * place.chunkSize);
}
