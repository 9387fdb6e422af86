import { ApiError } from '../../client/api-error.ts';
import { addressOf } from '../../client/call.ts';
import { chunkLength } from '../../contracts/limits.ts';
import { MIB } from '../../contracts/sizes.ts';
import { uploadChunk } from '../../contracts/uploads.ts';
import type { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';
import { judgeFailure, type Patience } from '../http/patience.ts';
import { LaneControl } from './lane-control.ts';
import { isWhole, type OutgoingFile, receivedBytes } from './outgoing-file.ts';
import { type Chunk, ChunkReader } from './read-chunk.ts';

const MOVED_BYTES = MIB;

type Course = { api: Api; patience: Patience; signal: AbortSignal };

/** Sends the missing chunks of many files over a few lanes, and does not give up while there is hope. */
export class ChunkSender {
  readonly #course: Course;
  readonly #chunks: Iterator<Chunk, undefined>;
  /** Of lanes that were closed. */
  readonly #returned: Chunk[] = [];
  readonly #lanes: LaneControl;
  readonly #reader = new ChunkReader();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<void>();
  /** Bytes under way. */
  readonly #inFlight = new Map<Chunk, number>();
  #running = 0;
  #receivedBytes: number;
  #wholeFiles: number;

  constructor(files: readonly OutgoingFile[], course: Course) {
    this.#course = course;
    this.#signal = AbortSignal.any([course.signal, this.#stop.signal]);
    this.#chunks = listMissing(files);
    this.#lanes = new LaneControl(files.reduce((most, { chunkSize }) => Math.max(most, chunkSize), 0));
    this.#receivedBytes = files.reduce((sum, file) => sum + receivedBytes(file), 0);
    this.#wholeFiles = files.filter(isWhole).length;
  }

  /** Bytes on the server or under way. */
  get sentBytes(): number {
    return this.#inFlight.values().reduce((sum, bytes) => sum + bytes, this.#receivedBytes);
  }

  /** Files of which all bytes are on the server. */
  get wholeFiles(): number {
    return this.#wholeFiles;
  }

  /** Resolves when no chunk is missing. Throws what makes going on pointless, or the signal's reason. */
  async run(): Promise<void> {
    this.#fill();
    await this.#ended.promise;
  }

  #fill(): void {
    while (!this.#signal.aborted && this.#running < this.#lanes.lanes) {
      const chunk = this.#returned.shift() ?? this.#chunks.next().value;
      if (!chunk) break;
      this.#running += 1;
      this.#send(chunk).then(
        () => this.#leaveLane(),
        (error: unknown) => {
          this.#stop.abort(error);
          this.#leaveLane();
        },
      );
    }
    if (this.#running === 0) this.#end();
  }

  #leaveLane(): void {
    this.#running -= 1;
    this.#fill();
  }

  /** Only when no lane uses a buffer or a line any more. */
  #end(): void {
    if (this.#signal.aborted) this.#ended.reject(this.#signal.reason);
    else this.#ended.resolve();
  }

  async #send(chunk: Chunk): Promise<void> {
    const { patience } = this.#course;
    const isThere = await this.#reader.with(chunk, async ({ bytes, contentDigest }) => {
      for (;;) {
        await patience.wait(this.#signal);
        try {
          await this.#trySending(chunk, bytes, contentDigest);
          return true;
        } catch (error) {
          await patience.takeFailure(error, this.#signal);
          if (this.#running > this.#lanes.lanes) return false;
        }
      }
    });
    if (isThere) this.#noteReceived(chunk);
    else this.#returned.push(chunk);
  }

  async #trySending(chunk: Chunk, body: Buffer, contentDigest: string): Promise<void> {
    const params = { uploadId: chunk.file.uploadId, index: String(chunk.index) };
    const started = performance.now();
    try {
      const response = await this.#course.api.send({
        method: uploadChunk.method,
        path: addressOf(uploadChunk.path, params),
        headers: { 'content-type': 'application/octet-stream', 'content-digest': contentDigest },
        body,
        signal: this.#signal,
        onSent: (bytes) => {
          this.#inFlight.set(chunk, bytes);
          // More than the system keeps for a line that is dead.
          if (bytes > MOVED_BYTES) this.#course.patience.noteSuccess();
        },
      });
      await readText(response, 64 * 1024);
      this.#lanes.succeed(performance.now() - started);
      this.#course.patience.noteSuccess();
    } catch (error) {
      // Another of our tries has come through.
      if (error instanceof ApiError && error.code === 'upload_closed') return;
      if (judgeFailure(error) === 'wait') this.#lanes.fail();
      throw error;
    } finally {
      this.#inFlight.delete(chunk);
    }
  }

  #noteReceived({ file, index }: Chunk): void {
    file.received.add(index);
    this.#receivedBytes += chunkLength(file.source.size, file.chunkSize, index);
    if (isWhole(file)) this.#wholeFiles += 1;
  }
}

/** File after file, first to last. */
function* listMissing(files: readonly OutgoingFile[]): Generator<Chunk, undefined> {
  for (const file of files) {
    for (let index = 0; index < file.totalChunks; index += 1)
      if (!file.received.has(index)) yield { file, index };
  }
}
