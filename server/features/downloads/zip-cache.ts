import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
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

/** Entries kept over all zips: some tens of megabytes at the most. */
const MAX_KEPT_ENTRIES = 100_000;

/**
 * Zips prepared lately. Preparing one of 5,000 files takes as long as sending it, and a download that breaks
 * and goes on, or runs in several connections, asks for the same one again. Files of a ready transfer are only
 * ever added, so their number and size tell whether it is still the same; the gate is passed before.
 */
export class ZipCache {
  readonly #zips = new Map<string, PreparedZip>();
  #keptEntries = 0;

  async open({ db }: Pick<Context, 'db'>, { id, fileCount, totalBytes }: Share): Promise<PreparedZip> {
    const key = `${id} ${fileCount} ${totalBytes}`;
    const zip = this.#zips.get(key) ?? prepareZip(await listZippedFiles(db, id));
    this.#keep(key, zip);
    return zip;
  }

  /** The youngest last; the oldest make room. */
  #keep(key: string, zip: PreparedZip): void {
    if (!this.#zips.delete(key)) this.#keptEntries += zip.files.length;
    this.#zips.set(key, zip);
    for (const [oldest, { files }] of this.#zips) {
      if (this.#keptEntries <= MAX_KEPT_ENTRIES) return;
      this.#zips.delete(oldest);
      this.#keptEntries -= files.length;
    }
  }
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
