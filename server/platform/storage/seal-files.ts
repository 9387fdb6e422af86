import { crc32Combiner } from '../../../contracts/zip/crc32-combine.ts';
import { AppError } from '../lib/app-error.ts';
import { type ChunkNote, chunkLengthAt, type Place, type SealedFile } from './blob-store.ts';

export type Numbered = { place: Place; position: number };

/** In order of appearance; skips places without chunks. */
export function groupByBlob(places: Place[]): Map<string, Numbered[]> {
  const groups = new Map<string, Numbered[]>();
  for (const [position, place] of places.entries()) {
    if (place.chunkCount === 0) continue;
    const group = groups.get(place.storageKey);
    if (group) group.push({ place, position });
    else groups.set(place.storageKey, [{ place, position }]);
  }
  return groups;
}

/**
 * `notes[position]` belongs to `places[position]`. Throws AppError `chunks_missing` for the first place with
 * gaps.
 */
export function refuseGaps(places: Place[], notes: ((ChunkNote | undefined)[] | undefined)[]): void {
  for (const [position, place] of places.entries()) {
    const missing: number[] = [];
    for (let index = 0; index < place.chunkCount; index += 1) {
      if (!notes[position]?.[index]) missing.push(index);
    }
    if (missing.length === 0) continue;
    throw new AppError('chunks_missing', { details: { count: missing.length, missing, position } });
  }
}

export function combineChunks(place: Place, notes: (ChunkNote | undefined)[]): SealedFile {
  if (place.chunkCount === 0) return { crc32: 0 };
  const lastIndex = place.chunkCount - 1;
  const appendFull = crc32Combiner(place.chunkSize);
  const appendLast = crc32Combiner(chunkLengthAt(place, lastIndex));
  let crc = 0;
  for (const [index, note] of notes.entries()) {
    crc = (index === lastIndex ? appendLast : appendFull)(crc, note?.crc32 ?? 0);
  }
  return { crc32: crc };
}
