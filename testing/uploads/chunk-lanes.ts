import { Agent, request } from 'node:http';
import type { Client } from '../calls/client.ts';

export type WireChunk = { uploadId: string; index: number; bytes: Buffer };

const LANES = 4;

/** Sends chunks in four parallel lanes, like a browser, and records which of them were acknowledged. */
export class ChunkLanes {
  readonly acknowledged = new Set<string>();
  readonly inFlight = new Set<string>();
  readonly #client: Client;
  readonly #onAnswer: () => void;
  readonly #search: string;

  /** `onAnswer` is called after each acknowledged chunk. `search` is appended to each URL. */
  constructor(client: Client, onAnswer: () => void = () => {}, search = '') {
    this.#client = client;
    this.#onAnswer = onAnswer;
    this.#search = search;
  }

  /** Resolves when all chunks are acknowledged or the connection broke in every lane. Throws if one is refused. */
  async send(chunks: Iterable<WireChunk> | AsyncIterable<WireChunk>): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: LANES });
    const waiting =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
    // Not `for … of`, because a lane that ends would close the iterator of the others.
    const lane = async () => {
      for (let next = await waiting.next(); !next.done; next = await waiting.next())
        if (!(await this.#sendOne(agent, next.value))) return;
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    agent.destroy();
  }

  async #sendOne(agent: Agent, chunk: WireChunk): Promise<boolean> {
    const key = chunkKey(chunk);
    this.inFlight.add(key);
    const status = await this.#post(agent, chunk).catch(() => undefined);
    if (status === undefined) return false;
    if (status !== 200) throw new Error(`chunk ${chunk.index} was answered ${status}`);
    this.inFlight.delete(key);
    this.acknowledged.add(key);
    this.#onAnswer();
    return true;
  }

  /** Resolves with the status. Rejects if the connection breaks. */
  #post(agent: Agent, { uploadId, index, bytes }: WireChunk): Promise<number> {
    const path = `/api/upload/chunk/${uploadId}/${index}${this.#search}`;
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': bytes.length,
      cookie: this.#client.jar.headerFor(path),
    };
    return new Promise((resolve, reject) => {
      const post = request(this.#client.url + path, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode!)).once('error', reject);
      });
      post.once('error', reject);
      post.end(bytes);
    });
  }
}

export function chunkKey({ uploadId, index }: Pick<WireChunk, 'uploadId' | 'index'>): string {
  return `${uploadId}/${index}`;
}
