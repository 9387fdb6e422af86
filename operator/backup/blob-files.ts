import { crc32 } from 'node:zlib';
import type { Db } from '../../server/platform/db/open.ts';
import type { FileRow } from '../../server/platform/db/schema.ts';

/** `crc32`: of the bytes that were uploaded. */
export type BlobFile = Pick<FileRow, 'id' | 'offset' | 'sizeBytes' | 'crc32' | 'damagedAt'>;

/** Compares the bytes of a blob, added in order, with the CRC-32 of each file in it. */
export class BlobVerifier {
  readonly wrong: BlobFile[] = [];
  right = 0;
  /** Right files that are marked as damaged. */
  readonly healed: BlobFile[] = [];
  /** CRC-32 of the whole blob. */
  crc32 = 0;
  #position = 0;
  #fileCrc = 0;
  #file: BlobFile | undefined;
  #isStarted = false;
  readonly #files: AsyncGenerator<BlobFile>;

  /** `files` in the order of their offsets. */
  constructor(files: AsyncGenerator<BlobFile>) {
    this.#files = files;
  }

  async add(piece: Buffer): Promise<void> {
    this.crc32 = crc32(piece, this.crc32);
    const start = this.#position;
    const end = start + piece.length;
    for (let file = await this.#current(); file && file.offset < end; file = await this.#current()) {
      const from = Math.max(file.offset, start);
      const to = Math.min(file.offset + file.sizeBytes, end);
      this.#fileCrc = crc32(piece.subarray(from - start, to - start), this.#fileCrc);
      if (file.offset + file.sizeBytes > end) break;
      if (this.#fileCrc !== file.crc32) this.wrong.push(file);
      else {
        this.right += 1;
        if (file.damagedAt !== null) this.healed.push(file);
      }
      await this.#advance();
    }
    this.#position = end;
  }

  /** Reports files that were not read completely as wrong. */
  async end(): Promise<void> {
    for (let file = await this.#current(); file; file = await this.#current()) {
      this.wrong.push(file);
      await this.#advance();
    }
  }

  async #current(): Promise<BlobFile | undefined> {
    if (!this.#isStarted) await this.#advance();
    return this.#file;
  }

  async #advance(): Promise<void> {
    this.#isStarted = true;
    this.#fileCrc = 0;
    const next = await this.#files.next();
    this.#file = next.done ? undefined : next.value;
  }
}

const PAGE = 1000;
const IDS_PER_STATEMENT = 500;

/** In the order of their bytes; skips empty files. */
export async function* listBlobFiles(db: Db, storageKey: string): AsyncGenerator<BlobFile> {
  for (let after = -1; ; ) {
    const page = await db
      .selectFrom('files')
      .select(['id', 'offset', 'sizeBytes', 'crc32', 'damagedAt'])
      .where('storageKey', '=', storageKey)
      .where('offset', '>', after)
      .where('sizeBytes', '>', 0)
      .orderBy('offset')
      .limit(PAGE)
      .execute();
    for (const row of page)
      yield {
        ...row,
        offset: Number(row.offset),
        sizeBytes: Number(row.sizeBytes),
        crc32: Number(row.crc32),
      };
    if (page.length < PAGE) return;
    after = Number(page.at(-1)!.offset);
  }
}

export type FileLabel = { id: string; path: string; transferId: string; transferTitle: string | null };

export async function listFileLabels(db: Db, ids: readonly string[]): Promise<FileLabel[]> {
  const labels: FileLabel[] = [];
  for (const batch of batches(ids))
    labels.push(
      ...(await db
        .selectFrom('files')
        .innerJoin('transfers', 'transfers.id', 'files.transferId')
        .select(['files.id', 'relativePath as path', 'transferId', 'transfers.title as transferTitle'])
        .where('files.id', 'in', batch)
        .execute()),
    );
  return labels;
}

export function describeFileLabel({ id, path, transferTitle }: FileLabel): string {
  return `“${path}”${transferTitle ? ` of “${transferTitle}”` : ''} (${id})`;
}

/** Damaged files are not served. */
export async function markFilesDamaged(db: Db, ids: readonly string[], now: number): Promise<void> {
  for (const batch of batches(ids))
    await db
      .updateTable('files')
      .set({ damagedAt: now, checkedAt: now })
      .where('id', 'in', batch)
      .where('damagedAt', 'is', null)
      .execute();
}

/** Serves the files again. A missing SHA-256 is computed later by a background check. */
export async function clearFilesDamage(db: Db, ids: readonly string[]): Promise<void> {
  for (const batch of batches(ids))
    await db
      .updateTable('files')
      .set({ damagedAt: null, checkedAt: null })
      .where('id', 'in', batch)
      .execute();
}

function* batches(ids: readonly string[]): Generator<string[]> {
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) yield ids.slice(at, at + IDS_PER_STATEMENT);
}
