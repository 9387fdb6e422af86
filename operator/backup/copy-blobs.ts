import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { NamedBlob } from '../../server/features/uploads/index.ts';
import { ScratchMap } from '../../server/platform/db/backup/scratch-map.ts';
import type { Db } from '../../server/platform/db/open.ts';
import type { BlobOpener } from '../../server/platform/lib/byte-source.ts';
import { forEachAtOnce, readBlocks, writeAll } from '../stored-bytes.ts';
import { type BlobFile, BlobVerifier, listBlobFiles } from './blob-files.ts';
import { type BlobEntry, type BlobListWriter, readBlobList, readCopy, sizeOf } from './folder.ts';
import type { Manifest } from './generations.ts';

const COPIES_AT_ONCE = 4;

type EarlierCopy = { name: string; sizeBytes: number; crc32: number; isDamaged: boolean };

/** Memory use is independent of the number of copies. */
export class EarlierCopies {
  readonly #copies = new ScratchMap();

  /** `generations` in the order they were made. */
  async load(folder: string, generations: Manifest[]): Promise<void> {
    for (const { files } of generations)
      if (files)
        for await (const { name, sizeBytes, crc32: crc, damagedFiles } of readBlobList(
          join(folder, files.name),
        )) {
          if (name === null) continue;
          const copy: EarlierCopy = { name, sizeBytes, crc32: crc, isDamaged: damagedFiles !== undefined };
          for (const key of [name, name.replace(OTHER_BYTES, '')])
            this.#copies.set(key, JSON.stringify(copy));
        }
  }

  find(name: string): EarlierCopy | undefined {
    const text = this.#copies.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as EarlierCopy);
  }

  /** A pack has several copies, because it is copied again after files were added to it. */
  listNames(storageKey: string): string[] {
    return this.#copies.listByPrefix(`${storageKey.slice(0, 2)}/${storageKey}.`).map(([name]) => name);
  }

  close(): void {
    this.#copies.close();
  }
}

/** Suffix for a copy with wrong bytes, or if the usual name is taken by other bytes. */
const OTHER_BYTES = /\.x[0-9a-f]+$/;

/** A path in `blobs/`. It changes when files are added to a pack, so that the pack is copied again. */
export function copyNameOf({
  storageKey,
  sizeBytes,
  version,
}: Pick<NamedBlob, 'storageKey' | 'sizeBytes' | 'version'>): string {
  return `${storageKey.slice(0, 2)}/${storageKey}.${sizeBytes.toString(36)}-${version}`;
}

/** A file, or a blob without files, with missing or wrong bytes in the storage. */
export type StoredDamage = {
  storageKey: string;
  fileId: string | null;
  /** Whether the backup has the right bytes from an earlier copy. */
  isKept: boolean;
  /** Whether the server had marked the file as damaged before. */
  isKnown: boolean;
};

export type CopyTally = {
  copiedBlobs: number;
  copiedBytes: number;
  /** Copies of earlier generations that were verified. */
  verifiedBlobs: number;
  /** Missing or damaged copies that were replaced. */
  repairedBlobs: number;
  /** Blobs of which no byte could be copied. */
  missingBlobs: number;
};

type CopyOrder = {
  blobs: BlobOpener;
  /** Includes the CRC-32 of each file. */
  rows: Db;
  /** `<backup>/blobs`. */
  folder: string;
  list: BlobListWriter;
  earlier: EarlierCopies;
  /** Whether to verify an earlier copy and the stored bytes in this run. */
  isDue(name: string): boolean;
  onDamage(damage: StoredDamage): void;
};

/**
 * Copies the blobs that the folder does not have yet, and lists all of them. Compares stored bytes with the CRC-32 of
 * each file, so wrong bytes never replace right ones in the folder.
 */
export async function copyBlobs(named: AsyncGenerator<NamedBlob>, order: CopyOrder): Promise<CopyTally> {
  const copier = new BlobCopier(order);
  await forEachAtOnce(named, COPIES_AT_ONCE, async (blob, block) =>
    order.list.add(await copier.ensureCopy(blob, block)),
  );
  return copier.tally;
}

type Stored = { verifier: BlobVerifier; isWhole: boolean };
type OnPiece = (piece: Buffer, position: number) => Promise<void>;

class BlobCopier {
  readonly tally: CopyTally = {
    copiedBlobs: 0,
    copiedBytes: 0,
    verifiedBlobs: 0,
    repairedBlobs: 0,
    missingBlobs: 0,
  };
  readonly #order: CopyOrder;

  constructor(order: CopyOrder) {
    this.#order = order;
  }

  /** Copies the blob unless the folder has a right copy. Returns its list entry. */
  async ensureCopy(blob: NamedBlob, block: Buffer): Promise<BlobEntry> {
    const { earlier, isDue } = this.#order;
    const name = copyNameOf(blob);
    const copy = earlier.find(name);
    const isThere = (await sizeOf(this.#pathOf(copy?.name ?? name))) === blob.sizeBytes;
    if (copy && !copy.isDamaged) {
      if (!isThere) return this.#repair(blob, copy, block);
      return isDue(name) ? this.#verify(blob, copy, block) : entryOf(blob, copy);
    }
    const adopted = !copy && isThere ? await this.#adopt(blob, name, block) : undefined;
    return adopted ?? this.#copy(blob, block);
  }

  /** Replaces a damaged copy, but keeps a right one even if the stored bytes are now wrong. */
  async #verify(blob: NamedBlob, copy: EarlierCopy, block: Buffer): Promise<BlobEntry> {
    this.tally.verifiedBlobs += 1;
    const verifier = await this.#readCopy(blob, copy.name, block);
    if (!verifier || verifier.crc32 !== copy.crc32) return this.#repair(blob, copy, block);
    // Backups of the first format may have copied wrong bytes with a matching digest.
    if (verifier.wrong.length > 0) return this.#copy(blob, block);
    const stored = await this.#readStored(blob, block);
    if (blob.hasFiles) this.#report(blob, stored.verifier.wrong, { isKept: true });
    else if (!stored.isWhole || stored.verifier.crc32 !== copy.crc32)
      this.#reportBlob(blob, { isKept: true });
    return entryOf(blob, copy);
  }

  async #repair(blob: NamedBlob, copy: EarlierCopy, block: Buffer): Promise<BlobEntry> {
    const entry = await this.#copy(blob, block);
    if (entry.name !== null && !entry.damagedFiles) {
      this.tally.repairedBlobs += 1;
      this.tally.copiedBlobs -= 1;
      this.tally.copiedBytes -= blob.sizeBytes;
    }
    // An earlier copy with some right bytes is better than none.
    if (entry.name === null && (await sizeOf(this.#pathOf(copy.name))) !== undefined)
      return { ...entryOf(blob, copy), damagedFiles: entry.damagedFiles ?? [] };
    return entry;
  }

  /** Uses the copy of an interrupted run if its files are right. */
  async #adopt(blob: NamedBlob, name: string, block: Buffer): Promise<BlobEntry | undefined> {
    if (!blob.hasFiles) return undefined;
    const verifier = await this.#readCopy(blob, name, block);
    return verifier && verifier.wrong.length === 0
      ? entryOf(blob, { name, crc32: verifier.crc32 })
      : undefined;
  }

  /** Copies the stored bytes, and takes files with wrong bytes from earlier copies. */
  async #copy(blob: NamedBlob, block: Buffer): Promise<BlobEntry> {
    const name = copyNameOf(blob);
    const draft = `${this.#pathOf(name)}.tmp`;
    await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
    const file = await open(draft, 'w+', 0o600);
    try {
      const { verifier, isWhole } = await this.#readStored(blob, block, (piece, at) =>
        writeAll(file, piece, at),
      );
      const missing = await this.#patch(blob, { file, wrong: verifier.wrong, block });
      const lost = new Set(missing.map(({ id }) => id));
      for (const isKept of [true, false])
        this.#report(
          blob,
          verifier.wrong.filter(({ id }) => lost.has(id) !== isKept),
          { isKept },
        );
      if (!blob.hasFiles && !isWhole) this.#reportBlob(blob, { isKept: false });
      const hasAny = isWhole || verifier.right > 0 || missing.length < verifier.wrong.length;
      const damagedFiles = missing.length > 0 ? { damagedFiles: [...lost] } : {};
      if (!hasAny) {
        this.tally.missingBlobs += 1;
        return { ...entryOf(blob, { name: null, crc32: 0 }), ...damagedFiles };
      }
      await file.truncate(blob.sizeBytes);
      const crc =
        isWhole && verifier.wrong.length === 0 ? verifier.crc32 : await computeCrc32(file, blob, block);
      await file.datasync();
      const target = this.#targetOf(name, { crc, isDamaged: missing.length > 0 });
      await rename(draft, this.#pathOf(target));
      this.tally.copiedBlobs += 1;
      this.tally.copiedBytes += blob.sizeBytes;
      return { ...entryOf(blob, { name: target, crc32: crc }), ...damagedFiles };
    } finally {
      await file.close();
      await rm(draft, { force: true });
    }
  }

  /** A name without the suffix has the same, right bytes in all generations. */
  #targetOf(name: string, { crc, isDamaged }: { crc: number; isDamaged: boolean }): string {
    const copy = this.#order.earlier.find(name);
    const isTaken = copy !== undefined && (copy.name !== name || copy.crc32 !== crc);
    return isDamaged || isTaken ? `${name}.x${crc.toString(16)}` : name;
  }

  /** Restores wrong files from earlier copies of the blob. Returns the files that no copy has. */
  async #patch(
    { storageKey }: NamedBlob,
    { file, wrong, block }: { file: FileHandle; wrong: BlobFile[]; block: Buffer },
  ): Promise<BlobFile[]> {
    if (wrong.length === 0) return [];
    let missing = wrong;
    for (const name of this.#order.earlier.listNames(storageKey)) {
      const source = await open(this.#pathOf(name), 'r').catch(() => undefined);
      if (!source) continue;
      try {
        const unpatched: BlobFile[] = [];
        for (const each of missing) {
          const isRight = (await computeCrc32(source, each, block)) === each.crc32;
          if (isRight) await computeCrc32(source, each, block, (piece, at) => writeAll(file, piece, at));
          else unpatched.push(each);
        }
        missing = unpatched;
      } finally {
        await source.close();
      }
    }
    return missing;
  }

  async #readStored(blob: NamedBlob, block: Buffer, onPiece?: OnPiece): Promise<Stored> {
    const verifier = this.#createVerifier(blob);
    const slice = { storageKey: blob.storageKey, offset: 0, sizeBytes: blob.sizeBytes };
    const isWhole = await readBlocks(this.#order.blobs, slice, {
      block,
      async onPiece(piece, position) {
        await verifier.add(piece);
        await onPiece?.(piece, position);
      },
    }).catch((error: NodeJS.ErrnoException) => {
      // One unreadable sector must not prevent the backup of everything else.
      if (error.code === 'EIO' && error.syscall === 'read') return false;
      throw error;
    });
    await verifier.end();
    return { verifier, isWhole };
  }

  /** Returns undefined if the copy is missing or has the wrong length. */
  async #readCopy(blob: NamedBlob, name: string, block: Buffer): Promise<BlobVerifier | undefined> {
    const verifier = this.#createVerifier(blob);
    const fault = await readCopy(this.#pathOf(name), {
      sizeBytes: blob.sizeBytes,
      block,
      onPiece: (piece) => verifier.add(piece),
    });
    await verifier.end();
    return fault ? undefined : verifier;
  }

  #createVerifier({ storageKey, hasFiles }: NamedBlob): BlobVerifier {
    return new BlobVerifier(hasFiles ? listBlobFiles(this.#order.rows, storageKey) : noFiles());
  }

  #pathOf(name: string): string {
    return join(this.#order.folder, name);
  }

  #report({ storageKey }: NamedBlob, wrong: BlobFile[], { isKept }: { isKept: boolean }): void {
    for (const { id, damagedAt } of wrong)
      this.#order.onDamage({ storageKey, fileId: id, isKept, isKnown: damagedAt !== null });
  }

  #reportBlob({ storageKey }: NamedBlob, { isKept }: { isKept: boolean }): void {
    this.#order.onDamage({ storageKey, fileId: null, isKept, isKnown: false });
  }
}

async function* noFiles(): AsyncGenerator<BlobFile> {}

function entryOf(
  { storageKey, sizeBytes }: NamedBlob,
  { name, crc32: crc }: { name: string | null; crc32: number },
): BlobEntry {
  return { storageKey, name, sizeBytes, crc32: crc };
}

/** NaN, which equals no CRC-32, if the file is too short. */
async function computeCrc32(
  file: FileHandle,
  { offset = 0, sizeBytes }: { offset?: number; sizeBytes: number },
  block: Buffer,
  onPiece?: OnPiece,
): Promise<number> {
  let sum = 0;
  for (let done = 0; done < sizeBytes; ) {
    const piece = block.subarray(0, Math.min(block.length, sizeBytes - done));
    const { bytesRead } = await file.read(piece, 0, piece.length, offset + done);
    if (bytesRead === 0) return Number.NaN;
    sum = crc32(piece.subarray(0, bytesRead), sum);
    await onPiece?.(piece.subarray(0, bytesRead), offset + done);
    done += bytesRead;
  }
  return sum;
}
