/** Sendwell's own calls as the bench makes them: sign in, send a file or a thousand, read them back. */
import { crc32 } from 'node:zlib';
import { chunkRequest } from '../client/upload-plan.ts';
import { chunkLength, planChunks } from '../contracts/plans/limits.ts';
import type { CompletedUpload, UploadSession } from '../contracts/transfers/uploads/uploads.ts';
import { type Answer, Connection, expectStatus, overConnections } from './wire.ts';

export type SentTransfer = { token: string; id: string; firstFileId: string };

/** What chunk or file `index` holds; asked for in the order of the indexes, right before it is sent. */
export type BodyOf = (index: number, sizeBytes: number) => Buffer;

type ChunkJob = { uploadId: string; index: number; body: () => Buffer };

export class SendwellClient {
  readonly port: number;
  #cookie = '';

  constructor(port: number) {
    this.port = port;
  }

  async signIn(): Promise<void> {
    const answer = await this.#json('POST', '/api/login', { username: 'bench', password: 'bench password' });
    this.#cookie = /set-cookie: ([^;\r]+)/i.exec(answer.headers)![1]!;
  }

  /** For the command line. */
  async createKey(): Promise<string> {
    return parse<{ key: string }>(await this.#json('POST', '/api/api-keys', { name: 'bench' })).key;
  }

  /** What proves the sign-in. */
  get cookie(): string {
    return this.#cookie;
  }

  /**
   * One file of repeated blocks or made chunk by chunk, over so many connections at once; it joins the
   * transfer, if there is one.
   */
  async sendFile(
    name: string,
    sizeBytes: number,
    block: Buffer | BodyOf,
    lanes: number,
    transferId?: string,
  ): Promise<SentTransfer> {
    const { totalChunks, chunkSize } = planChunks(sizeBytes);
    const announced = { fileName: name, fileSize: sizeBytes, totalChunks, transferId };
    const session = parse<UploadSession>(await this.#json('POST', '/api/upload/init', announced));
    const jobs = Array.from({ length: totalChunks }, (_, index) => ({
      uploadId: session.uploadId,
      index,
      body: () => takeBody(block, index, chunkLength(sizeBytes, chunkSize, index)),
    }));
    await this.#sendChunks(jobs, lanes);
    const done = parse<CompletedUpload>(
      await this.#json('POST', `/api/upload/complete/${session.uploadId}`, {}),
    );
    return { token: done.token, id: done.transfer.id, firstFileId: session.uploadId };
  }

  /** Many files of one size (at most a chunk) in nested folders. */
  async sendFiles(
    count: number,
    body: Buffer | BodyOf,
    lanes: number,
    { sizeBytes = body.length, folderOf = folderOfHundred } = {},
  ): Promise<SentTransfer> {
    const { totalChunks } = planChunks(sizeBytes);
    const files = Array.from({ length: count }, (_, index) => ({
      fileName: `${index}.bin`,
      relativePath: `${folderOf(index)}/${index}.bin`,
      fileSize: sizeBytes,
      totalChunks,
    }));
    let transferId: string | undefined;
    const uploads: UploadSession[] = [];
    for (let start = 0; start < count; start += 1000) {
      const batch = { transferId, files: files.slice(start, start + 1000) };
      const answer = parse<{ transferId: string; uploads: UploadSession[] }>(
        await this.#json('POST', '/api/upload/init-many', batch),
      );
      transferId = answer.transferId;
      uploads.push(...answer.uploads);
    }
    await this.#sendChunks(
      uploads.map(({ uploadId }, place) => ({
        uploadId,
        index: 0,
        body: () => takeBody(body, place, sizeBytes),
      })),
      lanes,
    );
    let done: CompletedUpload | undefined;
    for (let start = 0; start < count; start += 1000) {
      const uploadIds = uploads.slice(start, start + 1000).map(({ uploadId }) => uploadId);
      done = parse(
        await this.#json('POST', '/api/upload/complete-many', { transferId, uploadIds, fileCount: count }),
      );
    }
    return { token: done!.token, id: done!.transfer.id, firstFileId: uploads[0]!.uploadId };
  }

  async listTransferIds(): Promise<string[]> {
    const answer = expectStatus(await this.#send('GET', '/api/transfers'), 200);
    return parse<{ id: string }[]>(answer).map(({ id }) => id);
  }

  async remove({ id }: SentTransfer): Promise<void> {
    expectStatus(await this.#send('DELETE', `/api/transfers/${id}`), 204);
  }

  async #sendChunks(jobs: ChunkJob[], lanes: number): Promise<void> {
    await overConnections(this.port, jobs, lanes, async (connection, { uploadId, index, body: takeNext }) => {
      const body = takeNext();
      const { headers, ...request } = chunkRequest({ uploadId, index, crc32: crcOf(body) });
      const answer = await connection.send({
        ...request,
        headers: { ...headers, cookie: this.#cookie },
        body,
      });
      expectStatus(answer, 200);
    });
  }

  async #json(method: string, path: string, body: unknown): Promise<Answer> {
    return expectStatus(await this.#send(method, path, Buffer.from(JSON.stringify(body))), 200, 201);
  }

  async #send(method: string, path: string, body?: Buffer): Promise<Answer> {
    const connection = new Connection(this.port);
    const headers = { cookie: this.#cookie, ...(body && { 'content-type': 'application/json' }) };
    const answer = await connection.send({ method, path, headers, ...(body && { body }) });
    connection.close();
    return answer;
  }
}

function takeBody(source: Buffer | BodyOf, index: number, sizeBytes: number): Buffer {
  return typeof source === 'function' ? source(index, sizeBytes) : source.subarray(0, sizeBytes);
}

function folderOfHundred(index: number): string {
  return `folder-${Math.floor(index / 100)}`;
}

const crcs = new WeakMap<ArrayBufferLike, Map<number, number>>();

/** The client's hashing is not what is measured: once per distinct body. */
function crcOf(body: Buffer): number {
  const known = crcs.get(body.buffer) ?? new Map<number, number>();
  crcs.set(body.buffer, known);
  const value = known.get(body.length) ?? crc32(body);
  known.set(body.length, value);
  return value;
}

function parse<T>({ body }: Answer): T {
  return JSON.parse(body.toString()) as T;
}
