import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ChunkTask } from '../../../client/upload-plan.ts';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import type { SegmentKey } from '../../../encryption/keys.ts';
import type { Chunk, ChunkSource, OutgoingFile } from '../chunk-reader.ts';
import type { SendJournal } from '../journal.ts';
import type { SealedFile, SealingReply, SealingRequest } from './protocol.ts';

const MAX_THREADS = 4;

type Success = SealingReply & { failure?: undefined };

/**
 * Seals chunks while they are read, with new nonces whenever a chunk is sent again, and sums the plaintext in passing.
 * Only chunks that an earlier run has sent are read again for the sums. Each file has one thread, because its SHA-256
 * needs the chunks in order.
 */
export class SealingThreads implements ChunkSource {
  readonly #journal: SendJournal;
  readonly #threads: Worker[];
  readonly #waiting = new Map<number, PromiseWithResolvers<Success>>();
  readonly #free: SharedArrayBuffer[] = [];
  #lastId = 0;

  /** Starts the threads, and records the sums of each file that was read to its end. */
  constructor(key: SegmentKey, journal: SendJournal) {
    this.#journal = journal;
    const count = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));
    this.#threads = Array.from({ length: count }, () => this.#start(key));
  }

  async with<T>(
    { file, index }: ChunkTask<OutgoingFile>,
    signal: AbortSignal,
    use: (chunk: Chunk) => Promise<T>,
  ): Promise<T> {
    const target = this.#acquire(file.chunkSize);
    const { chunk } = await this.#ask(file, { index, target }, signal);
    try {
      return await use({ bytes: Buffer.from(target, 0, chunk!.length), crc: chunk!.crc32 });
    } finally {
      this.#free.push(target);
    }
  }

  /** Of a file whose chunks are all on the server. Reads those that this run has not read. */
  async finish(file: OutgoingFile, signal: AbortSignal): Promise<void> {
    if (!file.sums) await this.#ask(file, undefined, signal);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  async #ask(file: OutgoingFile, chunk: SealingRequest['chunk'], signal: AbortSignal): Promise<Success> {
    signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const waiting = Promise.withResolvers<Success>();
    const abort = () => waiting.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.set(id, waiting);
    const request: SealingRequest = { id, file: describe(file), chunk };
    this.#threads[file.place % this.#threads.length]!.postMessage(request);
    try {
      const reply = await waiting.promise;
      if (reply.sums && !file.sums) {
        file.sums = reply.sums;
        await this.#journal.recordSums(file.place, reply.sums);
      }
      return reply;
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener('abort', abort);
    }
  }

  #start(key: SegmentKey): Worker {
    const thread = new Worker(new URL('./seal.worker.ts', import.meta.url), { workerData: key });
    thread.on('message', (reply: SealingReply) => {
      const waiting = this.#waiting.get(reply.id);
      if (reply.failure === undefined) waiting?.resolve(reply);
      else waiting?.reject(new CommandError(EXIT.failed, reply.failure));
    });
    thread.on('error', (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
    });
    return thread;
  }

  #acquire(chunkSize: number): SharedArrayBuffer {
    const found = this.#free.findIndex(({ byteLength }) => byteLength >= chunkSize);
    const buffer = this.#free.splice(found === -1 ? 0 : found, 1)[0];
    return buffer && buffer.byteLength >= chunkSize
      ? buffer
      : new SharedArrayBuffer(Math.max(chunkSize, CHUNK_BYTES));
  }
}

function describe({ source, place, chunkSize, totalChunks, sums }: OutgoingFile): SealedFile {
  const { path, size, mtimeMs, fileId } = source;
  return {
    place,
    path,
    size,
    mtimeMs,
    fileId: fileId!,
    chunkSize,
    totalChunks,
    isSummed: sums !== undefined,
  };
}
