import { addressOf } from '../contracts/endpoint.ts';
import { type ChunkPlan, chunkLength, planChunks } from '../contracts/plans/limits.ts';
import { type UploadRequest, uploadChunk } from '../contracts/transfers/uploads/uploads.ts';
import { formatModificationTime } from '../contracts/values/modification-times.ts';
import { ApiError } from './api-error.ts';

/** 'sent': all bytes are on the server; 'done': it is part of the transfer. */
export type FilePhase = 'waiting' | 'uploading' | 'sent' | 'done' | 'failed' | 'removed';

/** Mutable: the chunk sender updates it. */
export type UploadFile = ChunkPlan & {
  /** Bytes. */
  size: number;
  /** Indexes of the chunks on the server. */
  received: Set<number>;
  /** Bytes sent of the chunks in flight. */
  inFlightBytes: number;
  phase: FilePhase;
  error: string | undefined;
};

/** The bytes of `file` from `start` up to `end`. */
export type ChunkTask<File extends UploadFile> = { file: File; index: number; start: number; end: number };

/** `received`: indexes of the chunks that an earlier run sent. */
export function createUploadFile(size: number, received: Iterable<number> = []): UploadFile {
  return {
    size,
    ...planChunks(size),
    received: new Set(received),
    inFlightBytes: 0,
    phase: 'waiting',
    error: undefined,
  };
}

type AnnouncedFile = {
  /** '/'-separated, ends with the file name. */
  relativePath: string;
  size: number;
  mimeType: string;
  /** Epoch milliseconds. Undefined if unknown or secret. */
  modifiedAt?: number | undefined;
  /** Unix permissions, where there are any. */
  mode?: number | undefined;
};

export function toUploadRequest({
  relativePath,
  size,
  mimeType,
  modifiedAt,
  mode,
}: AnnouncedFile): UploadRequest {
  return {
    fileName: relativePath.slice(relativePath.lastIndexOf('/') + 1),
    relativePath,
    fileSize: size,
    totalChunks: planChunks(size).totalChunks,
    mimeType,
    modifiedAt: modifiedAt === undefined ? undefined : formatModificationTime(modifiedAt),
    mode,
  };
}

const NEW_FIELDS = /(^|\.)(modifiedAt|mode)$/;

/**
 * Announces files without times and modes if the server refuses these fields, as releases before decision 0044 do.
 * Remove it one release later.
 */
export async function announceAccepted<Answer>(
  files: UploadRequest[],
  announce: (files: UploadRequest[]) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await announce(files);
  } catch (error) {
    const fields = error instanceof ApiError ? Object.keys(error.errors) : [];
    if (!fields.some((field) => NEW_FIELDS.test(field))) throw error;
    return announce(files.map(({ modifiedAt: _time, mode: _mode, ...file }) => file));
  }
}

type ChunkAddress = {
  uploadId: string;
  index: number;
  /** Unsigned. */
  crc32: number;
  /** Set if a visitor sends the chunk. */
  invitationToken?: string | undefined;
};

/** The body of the request is the chunk's bytes. */
export function chunkRequest({ uploadId, index, crc32, invitationToken }: ChunkAddress) {
  const crc = [24, 16, 8, 0].map((shift) => (crc32 >>> shift) & 0xff);
  return {
    method: uploadChunk.method,
    path: addressOf(uploadChunk.path, { uploadId, index: String(index) }, { invitationToken }),
    headers: {
      accept: 'application/json',
      'content-type': 'application/octet-stream',
      'content-digest': `crc32=:${btoa(String.fromCharCode(...crc))}:`,
    },
  };
}

/**
 * Whether a sealed chunk was refused because the server has it already: sealing it again gives other bytes, and a stored
 * chunk of a shared transfer never changes. The answer to an earlier attempt was lost.
 */
export function isStoredAlready(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'chunk_differs';
}

export function isWhole({ received, totalChunks }: UploadFile): boolean {
  return received.size >= totalChunks;
}

export function receivedBytes({ received, size, chunkSize, totalChunks }: UploadFile): number {
  const last = totalChunks - 1;
  const missing = received.has(last) ? chunkSize - chunkLength(size, chunkSize, last) : 0;
  return received.size * chunkSize - missing;
}

/** Missing chunks, file by file; requeued and preferred chunks come first. */
export class ChunkQueue<File extends UploadFile> {
  readonly #returned: ChunkTask<File>[] = [];
  /** Chunks taken out of order. */
  readonly #preferred = new Map<File, Set<number>>();
  readonly #files: readonly File[];
  #position = 0;
  #index = 0;

  constructor(files: readonly File[]) {
    this.#files = files;
  }

  next(): ChunkTask<File> | undefined {
    for (let task = this.#returned.shift(); task; task = this.#returned.shift()) {
      if (isWanted(task.file, task.index)) return task;
    }
    while (this.#position < this.#files.length) {
      const file = this.#files[this.#position]!;
      while (this.#index < file.totalChunks && !isGivenUp(file)) {
        const index = this.#index++;
        if (isWanted(file, index) && !this.#preferred.get(file)?.has(index)) return toTask(file, index);
      }
      this.#preferred.delete(file);
      this.#position += 1;
      this.#index = 0;
    }
    return undefined;
  }

  /** Sends this chunk next, because a download waits for it. Has no effect on a chunk whose turn has passed. */
  prefer(file: File, index: number): void {
    const isLater = file === this.#files[this.#position] ? index >= this.#index : this.#isBehind(file);
    const preferred = this.#preferred.get(file) ?? new Set();
    if (!isLater || index >= file.totalChunks || preferred.has(index) || !isWanted(file, index)) return;
    this.#preferred.set(file, preferred.add(index));
    this.#returned.unshift(toTask(file, index));
  }

  #isBehind(file: File): boolean {
    return this.#files.indexOf(file, this.#position) >= 0;
  }

  requeue(task: ChunkTask<File>): void {
    this.#returned.unshift(task);
  }
}

function isWanted(file: UploadFile, index: number): boolean {
  return !isGivenUp(file) && !file.received.has(index);
}

function isGivenUp({ phase }: UploadFile): boolean {
  return phase === 'failed' || phase === 'removed';
}

function toTask<File extends UploadFile>(file: File, index: number): ChunkTask<File> {
  const start = index * file.chunkSize;
  return { file, index, start, end: start + chunkLength(file.size, file.chunkSize, index) };
}
