import { SECOND_MS } from '../../../../contracts/values/durations.ts';
import { AppError, isAppError } from '../../lib/app-error.ts';
import type { Log } from '../../lib/logging/log.ts';
import type {
  BlobRange,
  BlobStore,
  ChunkBody,
  ChunkHead,
  ChunkNote,
  ChunkTail,
  DirectAccess,
  Place,
  SealedFile,
  StoredBlob,
  TrashedBlob,
} from '../blob-store.ts';
import { MovingStore } from '../moving/moving-store.ts';
import { type InstallationMarker, MARKER_NAME } from './installation-marker.ts';

const RETRY_AFTER_SECONDS = 5;

const DISK_TRUST_MS = SECOND_MS;
const BUCKET_TRUST_MS = 10 * SECOND_MS;

export type GuardOptions = {
  installationId: string;
  marker: InstallationMarker;
  kind: 'disk' | 'bucket';
  place: string;
  log?: Pick<Log, 'error' | 'info'> | undefined;
};

/**
 * Unmounting a volume while the server runs leaves an empty folder behind. Without this guard, uploads would
 * go below the mount point and every file would seem lost.
 */
class InstallationGuard {
  readonly #options: GuardOptions;
  #isOurs = false;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<boolean> | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /**
   * Throws AppError `unavailable` if the marker is missing or foreign. A bucket's marker is refreshed in the
   * background, so that requests don't wait for it.
   */
  async require(): Promise<void> {
    const isDisk = this.#options.kind === 'disk';
    const isTrusted = performance.now() - this.#readAt < (isDisk ? DISK_TRUST_MS : BUCKET_TRUST_MS);
    if (this.#isOurs && isTrusted) return;
    if (this.#isOurs && !isDisk) void this.read().catch(() => undefined);
    else if (!(await this.read())) throw this.#lost();
  }

  async requireNow(): Promise<void> {
    if (!(await this.read())) throw this.#lost();
  }

  read(): Promise<boolean> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<boolean> {
    const { marker, installationId, place, log } = this.#options;
    const startedAt = performance.now();
    const found = await marker.read();
    const isOurs = found === installationId;
    const wasRead = this.#readAt > 0;
    if (!isOurs && (this.#isOurs || !wasRead)) log?.error({ found }, this.#sentence());
    if (isOurs && !this.#isOurs && wasRead) log?.info({}, `The storage is back: ${place}.`);
    this.#isOurs = isOurs;
    this.#readAt = startedAt;
    return isOurs;
  }

  #lost(): AppError {
    return new AppError('unavailable', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause: new Error(this.#sentence()),
    });
  }

  #sentence(): string {
    const { place, kind } = this.#options;
    const lost = `This installation's marker (${MARKER_NAME}) is missing from ${place}, or belongs to another installation.`;
    return kind === 'disk'
      ? `${lost} Is the volume still mounted? Uploads and downloads are refused until it is back.`
      : `${lost} Uploads are refused until it is back.`;
  }
}

/**
 * Without this installation's marker, writing, removing and listing throw AppError `unavailable`, and so does
 * reading instead of `file_not_found`.
 */
class GuardedStore implements BlobStore {
  readonly packsSmallFiles: boolean;
  readonly readsOpenUploads: boolean;
  readonly direct: DirectAccess | undefined;
  readonly guard: InstallationGuard;
  readonly #store: BlobStore;

  constructor(store: BlobStore, guard: InstallationGuard) {
    this.#store = store;
    this.guard = guard;
    this.packsSmallFiles = store.packsSmallFiles;
    this.readsOpenUploads = store.readsOpenUploads;
    this.direct = store.direct && guardDirect(store.direct, guard);
  }

  async prepare(place: Place): Promise<void> {
    await this.guard.require();
    await this.#store.prepare(place);
  }

  async writeChunk(place: Place, chunk: ChunkBody): Promise<ChunkNote> {
    await this.#requireForStream(chunk);
    return this.#store.writeChunk(place, chunk);
  }

  async findHead(place: Place, index: number): Promise<ChunkHead> {
    await this.guard.require();
    return this.#store.findHead(place, index);
  }

  async growChunk(place: Place, tail: ChunkTail): Promise<ChunkHead> {
    await this.#requireForStream(tail);
    return this.#store.growChunk(place, tail);
  }

  async listChunks(place: Place): Promise<ChunkNote[]> {
    await this.guard.require();
    return this.#store.listChunks(place);
  }

  async seal(places: Place[]): Promise<SealedFile[]> {
    await this.guard.require();
    return this.#store.seal(places);
  }

  async discard(place: Place): Promise<void> {
    await this.guard.require();
    await this.#store.discard(place);
  }

  async openRange(storageKey: string, start: number, end: number): Promise<BlobRange> {
    try {
      return await this.#store.openRange(storageKey, start, end);
    } catch (error) {
      if (isAppError(error, 'file_not_found')) await this.guard.requireNow();
      throw error;
    }
  }

  /** Guarded, because a job that "removed" a blob of an unmounted volume would forget it. */
  async remove(storageKey: string): Promise<void> {
    await this.guard.require();
    await this.#store.remove(storageKey);
  }

  async *list(): AsyncIterable<StoredBlob> {
    await this.guard.requireNow();
    yield* this.#store.list();
  }

  async moveToTrash(blob: StoredBlob, now: number): Promise<void> {
    await this.guard.require();
    await this.#store.moveToTrash(blob, now);
  }

  async *listTrash(): AsyncIterable<TrashedBlob> {
    await this.guard.requireNow();
    yield* this.#store.listTrash();
  }

  async restoreFromTrash(storageKey: string): Promise<boolean> {
    await this.guard.require();
    return this.#store.restoreFromTrash(storageKey);
  }

  async removeFromTrash(storageKey: string): Promise<void> {
    await this.guard.require();
    await this.#store.removeFromTrash(storageKey);
  }

  freeSpace(): ReturnType<BlobStore['freeSpace']> {
    return this.#store.freeSpace();
  }

  async check(): Promise<void> {
    await this.guard.requireNow();
    await this.#store.check();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #requireForStream({ stream }: Pick<ChunkBody, 'stream'>): Promise<void> {
    // The client may disconnect before the store listens to the stream.
    stream.on('error', () => {});
    await this.guard.require();
  }
}

function guardDirect(direct: DirectAccess, guard: InstallationGuard): DirectAccess {
  return {
    origin: direct.origin,
    get isOpen() {
      return direct.isOpen;
    },
    verify: (pageOrigin) => direct.verify(pageOrigin),
    async signChunk(place, note) {
      await guard.require();
      return direct.signChunk(place, note);
    },
    confirmChunks: (place, indexes) => direct.confirmChunks(place, indexes),
    signRead: (blob, head) => direct.signRead(blob, head),
  };
}

export function guardStore(store: BlobStore, options: GuardOptions): BlobStore {
  return new GuardedStore(store, new InstallationGuard(options));
}

/** Throws AppError `unavailable` unless the storage has this installation's marker (cached). */
export async function requireOwnStorage(blobs: BlobStore): Promise<void> {
  for (const { guard } of guardedParts(blobs)) await guard.require();
}

/**
 * Reads the marker uncached. If true, a missing blob is lost, not just unmounted. Throws if the storage
 * doesn't respond.
 */
export async function isStorageOurs(blobs: BlobStore): Promise<boolean> {
  for (const { guard } of guardedParts(blobs)) if (!(await guard.read())) return false;
  return true;
}

function guardedParts(blobs: BlobStore): GuardedStore[] {
  const parts = blobs instanceof MovingStore ? [blobs.disk, blobs.bucket] : [blobs];
  return parts.filter((part) => part instanceof GuardedStore);
}
