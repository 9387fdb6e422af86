import type { Db } from '../../../platform/db/open.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { listZippedFiles, planZip, type ZipPlan, type ZippedFile } from '../zip-plans.ts';
import { type ArrivingUpload, readArrivingWindows, toAnnouncedFile } from './arriving-uploads.ts';

/**
 * The layout has no CRC-32 of arriving entries yet. The first reader that can compute one sets it for all readers of the
 * plan.
 */
export type ArrivingZipPlan = ZipPlan & {
  /** By index of the entry; without the files that were complete. */
  arriving: ReadonlyMap<number, ArrivingUpload>;
  /** Indexes of entries whose CRC-32 has been set since. */
  known: Set<number>;
};

/**
 * Plans the zip that the complete transfer will have, as far as it is announced. `positions` must be ascending; without
 * them, it has all files. Throws AppError `file_not_found` if one is missing.
 */
export async function planArrivingZip(
  db: Db,
  transferId: string,
  positions?: number[],
): Promise<ArrivingZipPlan> {
  const arriving = new Map<number, ArrivingUpload>();
  const wanted = positions && new Set(positions);
  const plan = await planZip(readEntries(db, transferId, { wanted, arriving }));
  if (wanted && plan.layout.entries.count < wanted.size) throw new AppError('file_not_found');
  return { ...plan, arriving, known: new Set() };
}

type Entries = { wanted: ReadonlySet<number> | undefined; arriving: Map<number, ArrivingUpload> };

async function* readEntries(
  db: Db,
  transferId: string,
  { wanted, arriving }: Entries,
): AsyncGenerator<ZippedFile[]> {
  const listFiles = (after: number, upTo: number) => listZippedFiles(db, transferId, after, upTo);
  let count = 0;
  for await (const rows of readArrivingWindows(db, { transferId, after: -1, listFiles })) {
    const chosen = wanted ? rows.filter(({ position }) => wanted.has(position)) : rows;
    for (const [index, row] of chosen.entries()) if ('chunkCount' in row) arriving.set(count + index, row);
    count += chosen.length;
    yield chosen.map((row) => ('chunkCount' in row ? toZippedFile(row) : row));
  }
}

function toZippedFile(upload: ArrivingUpload): ZippedFile {
  return { ...toAnnouncedFile(upload), crc32: 0 };
}
