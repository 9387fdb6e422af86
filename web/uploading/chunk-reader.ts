import { UnreadableFileError } from '../../client/retries.ts';
import type { ReadAnswer, ReadRequest } from './crc32.worker.ts';

export type ReadChunk = { bytes: Blob; crc: number };

/** Reads chunks with their CRC-32 in a worker of its own. */
export class ChunkReader {
  readonly #worker = new Worker(new URL('./crc32.worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, PromiseWithResolvers<ReadChunk>>();
  #tickets = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => this.#settle(data);
  }

  /** Throws UnreadableFileError. */
  read(slice: Blob): Promise<ReadChunk> {
    const waiting = Promise.withResolvers<ReadChunk>();
    const request: ReadRequest = { ticket: ++this.#tickets, slice };
    this.#waiting.set(request.ticket, waiting);
    this.#worker.postMessage(request);
    return waiting.promise;
  }

  close(): void {
    this.#worker.terminate();
  }

  #settle(answer: ReadAnswer): void {
    const waiting = this.#waiting.get(answer.ticket);
    this.#waiting.delete(answer.ticket);
    if ('failure' in answer) waiting?.reject(new UnreadableFileError({ cause: answer.failure }));
    else waiting?.resolve(answer);
  }
}
