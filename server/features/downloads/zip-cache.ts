import { createHash } from 'node:crypto';
import { decodeSelection } from '../../../contracts/selection.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { nameEntries } from '../../platform/zip/entry-names.ts';
import { layOutZip, type ZipLayout } from '../../platform/zip/layout.ts';
import { listZippedFiles, type Share, type ZippedFile } from './queries.ts';

/** Which files a zip holds, where in it every byte lies, and what names this very state of it. */
export type PreparedZip = {
  files: readonly ZippedFile[];
  layout: ZipLayout;
  etag: string;
  lastModifiedAt: number;
};

/** Kept over all zips, in entries: some tens of megabytes at the most. */
const MAX_KEPT_ENTRIES = 100_000;
/** What a zip takes beside its entries, counted as entries: its key holds the selection. */
const ENTRIES_PER_ZIP = 30;

/**
 * Zips prepared lately. Preparing one of 5,000 files takes as long as sending it, and a download that breaks
 * and goes on, or runs in several connections, asks for the same one again. Files of a ready transfer are only
 * added or repaired, so their number, size and repairs tell whether it is still the same; a selection is of the same
 * files, which may be repaired as well. The gate is passed before.
 */
export class ZipCache {
  readonly #zips = new Map<string, PreparedZip>();
  #keptEntries = 0;

  /** Throws AppError `invalid_selection`, and `file_not_found` when one of the selected is not there. */
  async open(
    { db }: Pick<Context, 'db'>,
    { id, fileCount, totalBytes, repairCount }: Share,
    selection: string | null,
  ): Promise<PreparedZip> {
    const key = `${id} ${repairCount} ${selection ?? `${fileCount} ${totalBytes}`}`;
    const zip = this.#zips.get(key) ?? prepareZip(await listZipped({ db }, id, selection));
    this.#keep(key, zip);
    return zip;
  }

  /** The youngest last; the oldest make room. */
  #keep(key: string, zip: PreparedZip): void {
    if (!this.#zips.delete(key)) this.#keptEntries += ENTRIES_PER_ZIP + zip.files.length;
    this.#zips.set(key, zip);
    for (const [oldest, { files }] of this.#zips) {
      if (this.#keptEntries <= MAX_KEPT_ENTRIES) return;
      this.#zips.delete(oldest);
      this.#keptEntries -= ENTRIES_PER_ZIP + files.length;
    }
  }
}

async function listZipped(
  { db }: Pick<Context, 'db'>,
  transferId: string,
  selection: string | null,
): Promise<ZippedFile[]> {
  if (selection === null) return listZippedFiles(db, transferId);
  const positions = decodeSelection(selection);
  if (!positions) throw new AppError('invalid_selection');
  const missing = new Set(positions);
  const files = (await listZippedFiles(db, transferId)).filter(({ position }) => missing.has(position));
  for (const { position } of files) missing.delete(position);
  if (missing.size > 0) throw new AppError('file_not_found');
  return files;
}

function prepareZip(files: readonly ZippedFile[]): PreparedZip {
  const names = nameEntries(files.map(({ relativePath }) => ({ path: relativePath })));
  const entries = files.map((file, index) => ({
    path: names[index]!,
    sizeBytes: file.sizeBytes,
    crc32: file.crc32,
    modifiedAt: file.uploadedAt,
  }));
  const lastModifiedAt = files.reduce((latest, file) => Math.max(latest, file.uploadedAt), 0);
  return { files, layout: layOutZip(entries), etag: zipTag(files), lastModifiedAt };
}

function zipTag(files: readonly ZippedFile[]): string {
  const manifest = files.map(({ id, relativePath, sizeBytes, crc32, uploadedAt }) =>
    [id, relativePath, sizeBytes, crc32, uploadedAt].join('\t'),
  );
  return `"zip-${createHash('sha256').update(manifest.join('\n')).digest('base64url').slice(0, 27)}"`;
}
