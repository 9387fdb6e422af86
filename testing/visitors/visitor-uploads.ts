import type { TestContext } from 'node:test';
import { CHUNK_BYTES, planChunks } from '../../contracts/plans/limits.ts';
import {
  abortUpload,
  type CompletedUpload,
  completeUploads,
  initUploads,
  listChunks,
  listUploads,
} from '../../contracts/transfers/uploads/uploads.ts';
import type { Client } from '../calls/client.ts';
import { startTestServer } from '../test-context.ts';
import { describeFile, makeBytes } from '../uploads/upload-files.ts';
import { startInvitation, visitInvitation } from './visit.ts';

export type PathBytes = { path: string; bytes: Buffer };

export const FOLDER: PathBytes[] = [
  { path: 'shoot/one.raw', bytes: makeBytes(2 * CHUNK_BYTES + 7, 'one') },
  { path: 'shoot/notes/two.txt', bytes: makeBytes(300, 'two') },
  { path: 'empty.txt', bytes: makeBytes(0) },
];
export const SMALL: PathBytes[] = [{ path: 'small.bin', bytes: makeBytes(100) }];

/** A server with an invitation of prem. vera has verified her address, and `visit` adds other visitors. */
export async function openVisit(t: TestContext, settings: Parameters<typeof startInvitation>[1] = {}) {
  const server = await startTestServer(t);
  const prem = await server.signIn('prem');
  const invitation = await startInvitation(prem, settings);
  const visit = async (email?: string) =>
    new VisitorUploads(await visitInvitation(server, invitation.token, email), invitation.token);
  return { server, prem, invitation, visit, vera: await visit() };
}

type Announced = Awaited<ReturnType<VisitorUploads['announce']>>;

export class VisitorUploads {
  readonly client: Client;
  readonly #query: { invitationToken: string };

  constructor(client: Client, invitationToken: string) {
    this.client = client;
    this.#query = { invitationToken };
  }

  announce(files: PathBytes[], transferId?: string) {
    return this.announceAs(files.map(describePath), transferId);
  }

  announceAs(files: object[], transferId?: string) {
    return this.client.call(initUploads, { body: { ...this.#query, files, transferId } });
  }

  /** Sends one chunk. Returns the response, also a refusal. */
  sendChunk(uploadId: string, index: number, bytes: Buffer): Promise<Response> {
    const { chunkSize } = planChunks(bytes.length);
    return this.client.fetch(this.chunkPath(uploadId, index), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', accept: 'application/json' },
      body: new Uint8Array(bytes.subarray(index * chunkSize, (index + 1) * chunkSize)),
    });
  }

  chunkPath(uploadId: string, index: number): string {
    return `/api/upload/chunk/${uploadId}/${index}?${new URLSearchParams(this.#query)}`;
  }

  /** Sends all chunks of all files. Throws if one is refused. */
  async send({ uploads }: Announced, files: PathBytes[]): Promise<void> {
    for (const [position, { uploadId }] of uploads.entries()) {
      const { bytes } = files[position]!;
      for (let index = 0; index < planChunks(bytes.length).totalChunks; index += 1) {
        const response = await this.sendChunk(uploadId, index, bytes);
        if (!response.ok) throw new Error(`chunk ${index}: ${response.status} ${await response.text()}`);
        await response.body?.cancel();
      }
    }
  }

  complete({ transferId, uploads }: Announced, settings: object = {}): Promise<CompletedUpload> {
    const uploadIds = uploads.map(({ uploadId }) => uploadId);
    const body = { ...this.#query, transferId, uploadIds, fileCount: uploadIds.length, ...settings };
    return this.client.call(completeUploads, { body });
  }

  /** Announces, sends and completes a delivery. Returns its transfer ID. */
  async deliver(files: PathBytes[], settings: object = {}): Promise<string> {
    const announced = await this.announce(files);
    await this.send(announced, files);
    return (await this.complete(announced, settings)).transfer.id;
  }

  list() {
    return this.client.call(listUploads, { query: this.#query });
  }

  async listChunks(uploadId: string): Promise<number[]> {
    return (await this.client.call(listChunks, { params: { uploadId }, query: this.#query })).chunks;
  }

  abort(uploadId: string): Promise<undefined> {
    return this.client.call(abortUpload, { params: { uploadId }, query: this.#query });
  }
}

function describePath({ path, bytes }: PathBytes) {
  return { ...describeFile(path.split('/').at(-1)!, bytes), relativePath: path };
}
