import { endOfEntry } from '../../../../contracts/zip/layout.ts';
import type { Context } from '../../../context.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import type { ByteSource } from '../../../platform/lib/byte-source.ts';
import { type ArrivingEntries, arrivingZipSource } from '../../../platform/zip/arriving-stream.ts';
import { type ArrivingUpload, type ArrivingZipPlan, findArrivingUpload } from '../../transfers/index.ts';
import { type ArrivalWatch, arrivalsOf, arrivingSource, requireWanted } from '../../uploads/index.ts';
import type { Share } from '../queries.ts';

const RETRY_SECONDS = 10;

type Deps = Pick<Context, 'db' | 'blobs' | 'leases' | 'config'>;

type ArrivingFile = { upload: ArrivingUpload; source: ByteSource };

/**
 * Returns undefined if the file is not arriving, or no longer. Throws AppError `file_arriving` (this storage can read
 * only complete files), `file_checking` (the scanner was turned on after the link was shared).
 */
export async function openArrivingFile(
  context: Deps,
  { id: transferId }: Share,
  fileId: string,
): Promise<ArrivingFile | undefined> {
  const upload = await findArrivingUpload(context.db, { transferId, uploadId: fileId });
  if (!upload) return undefined;
  requireNoScanner(context);
  if (!context.blobs.readsOpenUploads && upload.sizeBytes > 0)
    throw new AppError('file_arriving', { retryAfterSeconds: RETRY_SECONDS });
  return { upload, source: arrivingSource(context, upload) };
}

/** Throws AppError `file_checking`. */
export function openArrivingZip(
  context: Deps,
  plan: ArrivingZipPlan,
): { source: ByteSource; firstFileEnd: number } {
  requireNoScanner(context);
  const { layout } = plan;
  return {
    source: arrivingZipSource(context.blobs, layout, () => new PlannedEntries(context, plan)),
    firstFileEnd: endOfEntry(layout, 0),
  };
}

function requireNoScanner({ config }: Deps): void {
  if (config.scan !== undefined) throw new AppError('file_checking', { retryAfterSeconds: RETRY_SECONDS });
}

/** The entries as one reader sees them. Stores each CRC-32 in the plan, which all readers share. */
class PlannedEntries implements ArrivingEntries {
  readonly #context: Deps;
  readonly #plan: ArrivingZipPlan;
  readonly #watches = new Map<number, ArrivalWatch>();

  constructor(context: Deps, plan: ArrivingZipPlan) {
    this.#context = context;
    this.#plan = plan;
  }

  isKnown(index: number): boolean {
    return !this.#plan.arriving.has(index) || this.#plan.known.has(index);
  }

  async awaitEntry(index: number, signal: AbortSignal): Promise<void> {
    const upload = this.#plan.arriving.get(index);
    if (!upload || this.isKnown(index)) return;
    const watch = this.#watches.get(index) ?? arrivalsOf(this.#context).watch(upload);
    this.#watches.set(index, watch);
    const crc32 = await watch.waitUntilWhole(signal);
    this.#plan.layout.entries.setCrc32(index, crc32);
    this.#plan.known.add(index);
    this.#watches.delete(index);
    watch.release();
  }

  async requireAll(): Promise<void> {
    const ids = [...this.#plan.arriving.values()].map(({ id }) => id);
    await requireWanted(this.#context.db, ids);
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.release();
    this.#watches.clear();
  }
}
