import { randomUUID } from 'node:crypto';
import { opendir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { ConcurrencyLimit } from '../../lib/concurrency/concurrency-limit.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import {
  type BlobRange,
  type BlobStore,
  type ChunkBody,
  type ChunkHead,
  type ChunkNote,
  type ChunkTail,
  chunkLengthAt,
  type Place,
  type SealedFile,
  type StoredBlob,
  type TrashedBlob,
} from '../blob-store.ts';
import { outliveStreamErrors } from '../receive-chunk.ts';
import { combineChunks, groupByBlob, type Numbered, refuseGaps } from '../seal-files.ts';
import { createFile, isStorageKey, locateBlob, unlinkIfThere } from './blob-files.ts';
import { ChunkNotes, readBootTag } from './chunk-notes.ts';
import { type DiskBlob, DiskChunks } from './disk-chunks.ts';
import { explainDiskError, isMissing } from './disk-errors.ts';
import { DiskSpace, retryOnFullDisk, type Space } from './disk-space.ts';
import { DiskFolders, syncBlob, timed } from './disk-syncs.ts';
import { DiskTrash, TRASH_FOLDER } from './disk-trash.ts';
import { EarlySync, OpenFiles } from './open-files.ts';
import { DiskRange } from './positional-io.ts';

/** A sync occupies one of libuv's threads (4 by default); reads need the others. */
const MAX_SYNCS_AT_ONCE = 2;
const MAX_BLOBS_PER_SEAL = 16;
const MAX_PREPARED_KEYS = 10_000;

export type DiskStoreOptions = {
  root: string;
  /** 8 bytes that change when the host restarts. */
  bootTag?: Buffer;
  /** False if no space could be released. */
  onDiskFull?: (() => boolean) | undefined;
  metrics?: Pick<Metrics, 'countDiskSync'> | undefined;
};

export async function openDiskStore(options: DiskStoreOptions): Promise<BlobStore> {
  const { root, bootTag, onDiskFull, metrics } = options;
  const syncs = new ConcurrencyLimit(MAX_SYNCS_AT_ONCE);
  const folders = new DiskFolders(syncs, metrics);
  await folders.make(root);
  const notes = new ChunkNotes(bootTag ?? (await readBootTag()));
  const files = new OpenFiles((file) =>
    syncs.run(() =>
      timed(
        () => syncBlob(file),
        (seconds) => metrics?.countDiskSync('file', seconds),
      ),
    ),
  );
  const chunks = new DiskChunks(notes, new EarlySync(files));
  const trash = new DiskTrash(root, folders);
  return new DiskStore({ root, folders, files, chunks, trash, onDiskFull });
}

type Parts = Pick<DiskStoreOptions, 'root' | 'onDiskFull'> & {
  folders: DiskFolders;
  files: OpenFiles;
  chunks: DiskChunks;
  trash: DiskTrash;
};

class DiskStore implements BlobStore {
  readonly packsSmallFiles = true;
  readonly readsOpenUploads = true;
  readonly #root: string;
  readonly #chunks: DiskChunks;
  readonly #files: OpenFiles;
  readonly #folders: DiskFolders;
  readonly #space: DiskSpace;
  readonly #trash: DiskTrash;
  readonly #onDiskFull: DiskStoreOptions['onDiskFull'];
  readonly #prepared = new Set<string>();
  readonly #preparing = new Map<string, Promise<void>>();
  /** Running checks. Closing waits for them, so that no probe file stays behind. */
  readonly #checks = new Set<Promise<void>>();

  constructor({ root, folders, files, chunks, trash, onDiskFull }: Parts) {
    this.#root = root;
    this.#folders = folders;
    this.#files = files;
    this.#chunks = chunks;
    this.#space = new DiskSpace(root);
    this.#onDiskFull = onDiskFull;
    this.#trash = trash;
  }

  async prepare(place: Place): Promise<void> {
    const key = place.storageKey;
    if (this.#prepared.has(key)) return;
    const preparing =
      this.#preparing.get(key) ?? this.#create(place).finally(() => this.#preparing.delete(key));
    this.#preparing.set(key, preparing);
    await preparing;
  }

  async writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    outliveStreamErrors(chunk);
    const sizeBytes = chunkLengthAt(place, chunk.index);
    return this.#space.claim(sizeBytes, () =>
      this.#writeTo(place, (blob) => this.#chunks.receive(blob, place, chunk)),
    );
  }

  async findHead(place: Place, index: number): Promise<ChunkHead> {
    return this.#writeTo(place, (blob) => this.#chunks.findHead(blob, place, index));
  }

  async growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead> {
    outliveStreamErrors(tail);
    const leftBytes = chunkLengthAt(place, tail.index) - tail.head.sizeBytes;
    return this.#space.claim(leftBytes, () =>
      this.#writeTo(place, (blob) => this.#chunks.grow(blob, place, tail)),
    );
  }

  async listChunks(place: Place): Promise<ChunkNote[]> {
    const [notes = []] = await this.#listByBlob([place]);
    return notes.filter((note) => note !== undefined);
  }

  async seal(places: Place[]): Promise<SealedFile[]> {
    // Checked before, so that a refused call costs no sync, and after, because a failed sync deletes notes.
    refuseGaps(places, await this.#listByBlob(places));
    await this.#syncAll(places);
    const notes = await this.#listByBlob(places);
    refuseGaps(places, notes);
    return places.map((place, position) => combineChunks(place, notes[position]!));
  }

  /**
   * A file of one chunk may share a pack: only its notes are cleared, its bytes stay until the pack is
   * removed.
   */
  async discard(place: Place): Promise<void> {
    if (place.chunkCount > 1) return this.remove(place.storageKey);
    const { notes } = locateBlob(this.#root, place.storageKey);
    try {
      await retryOnFullDisk(this.#onDiskFull, () =>
        this.#files.use(notes, (file) => this.#chunks.clear(file, place)),
      );
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async openRange(storageKey: string, start: number, end: number): Promise<BlobRange> {
    const { bytes } = locateBlob(this.#root, storageKey);
    try {
      const { file, release } = await this.#unlessTrashed(storageKey, () => this.#files.acquire(bytes));
      return new DiskRange(file.fd, { start, end }, release);
    } catch (error) {
      if (isMissing(error)) throw new AppError('file_not_found', { cause: error });
      throw explainDiskError(error);
    }
  }

  async remove(storageKey: string): Promise<void> {
    const { bytes, notes } = locateBlob(this.#root, storageKey);
    this.#prepared.delete(storageKey);
    // Delete the bytes last, so that a crash leaves the blob listed.
    for (const path of [notes, bytes]) {
      // A copy-on-write file system needs space to remove something.
      await retryOnFullDisk(this.#onDiskFull, () => unlinkIfThere(path));
      await this.#files.evict(path);
    }
    await this.#trash.remove(storageKey);
  }

  async *list(): AsyncIterable<StoredBlob> {
    for await (const folder of await opendir(this.#root)) {
      if (!folder.isDirectory() || folder.name === TRASH_FOLDER) continue;
      for await (const { name } of await opendir(join(this.#root, folder.name))) {
        if (!isStorageKey(name)) continue;
        const found = await stat(join(this.#root, folder.name, name)).catch(() => undefined);
        if (found) yield { storageKey: name, sizeBytes: found.size, modifiedAt: Math.floor(found.mtimeMs) };
      }
    }
  }

  async moveToTrash({ storageKey }: StoredBlob, now: number): Promise<void> {
    const { bytes, notes } = locateBlob(this.#root, storageKey);
    this.#prepared.delete(storageKey);
    await retryOnFullDisk(this.#onDiskFull, () => this.#trash.put(storageKey, now));
    await this.#files.evict(notes);
    await this.#files.evict(bytes);
  }

  listTrash(): AsyncIterable<TrashedBlob> {
    return this.#trash.list();
  }

  restoreFromTrash(storageKey: string): Promise<boolean> {
    return this.#trash.restore(storageKey);
  }

  removeFromTrash(storageKey: string): Promise<void> {
    return this.#trash.remove(storageKey);
  }

  async freeSpace(): Promise<Space> {
    return this.#space.read();
  }

  check(): Promise<void> {
    const check = this.#writeProbe().finally(() => this.#checks.delete(check));
    this.#checks.add(check);
    return check;
  }

  async #writeProbe(): Promise<void> {
    const probe = join(this.#root, `.probe-${randomUUID()}`);
    try {
      await writeFile(probe, probe, { mode: 0o600 });
      if ((await readFile(probe, 'utf8')) !== probe) throw new Error('The disk returned other bytes');
    } catch (error) {
      this.#space.invalidate();
      throw explainDiskError(error);
    } finally {
      await unlinkIfThere(probe);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#checks);
    await this.#files.closeAll();
  }

  async #create(place: Place): Promise<void> {
    const paths = locateBlob(this.#root, place.storageKey);
    try {
      await this.#folders.make(paths.folder);
      await createFile(paths.bytes, place.chunkCount > 1 ? place.offset + place.sizeBytes : 0);
      await createFile(paths.notes, 0);
      await this.#folders.sync(paths.folder);
    } catch (error) {
      throw explainDiskError(error);
    }
    this.#prepared.add(place.storageKey);
    if (this.#prepared.size > MAX_PREPARED_KEYS) this.#prepared.delete(this.#prepared.values().next().value!);
  }

  async #writeTo<T>({ storageKey }: Place, task: (blob: DiskBlob) => Promise<T>): Promise<T> {
    try {
      return await this.#withBlob(storageKey, task);
    } catch (error) {
      if (isMissing(error)) throw new AppError('upload_not_found', { cause: error });
      throw explainDiskError(error);
    }
  }

  async #unlessTrashed<T>(storageKey: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      if (!isMissing(error) || !(await this.#trash.restore(storageKey))) throw error;
      return task();
    }
  }

  async #withBlob<T>(storageKey: string, task: (blob: DiskBlob) => Promise<T>): Promise<T> {
    const paths = locateBlob(this.#root, storageKey);
    return this.#unlessTrashed(storageKey, () =>
      this.#files.use(paths.bytes, (bytes) =>
        this.#files.use(paths.notes, (notes) => task({ bytes, notes })),
      ),
    );
  }

  async #listByBlob(places: Place[]): Promise<(ChunkNote | undefined)[][]> {
    const notes: (ChunkNote | undefined)[][] = places.map(() => []);
    await forEachBlob(places, async (storageKey, group) => {
      const lists = await this.#listInBlob(storageKey, group);
      for (const [index, { position }] of group.entries()) notes[position] = lists[index] ?? [];
    });
    return notes;
  }

  async #listInBlob(storageKey: string, group: Numbered[]): Promise<(ChunkNote | undefined)[][]> {
    const places = group.map(({ place }) => place);
    try {
      return await this.#withBlob(storageKey, (blob) => this.#chunks.list(blob, places));
    } catch (error) {
      if (isMissing(error)) return [];
      throw explainDiskError(error);
    }
  }

  async #syncAll(places: Place[]): Promise<void> {
    try {
      await forEachBlob(places, (storageKey) =>
        this.#files.use(locateBlob(this.#root, storageKey).bytes, (file) => file.sync.join()),
      );
    } catch (error) {
      if (isMissing(error)) throw new AppError('upload_not_found', { cause: error });
      throw explainDiskError(error);
    }
  }
}

type BlobTask = (storageKey: string, group: Numbered[]) => Promise<void>;

async function forEachBlob(places: Place[], task: BlobTask): Promise<void> {
  const limit = new ConcurrencyLimit(MAX_BLOBS_PER_SEAL);
  const groups = [...groupByBlob(places)];
  await Promise.all(groups.map(([storageKey, group]) => limit.run(() => task(storageKey, group))));
}
