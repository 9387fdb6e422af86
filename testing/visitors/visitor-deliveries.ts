import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { CHUNK_BYTES, chunkLength, planChunks } from '../../contracts/plans/limits.ts';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { KIB } from '../../contracts/values/sizes.ts';
import type { MailRow } from '../../server/platform/db/schema.ts';
import { Client } from '../calls/client.ts';
import { type ServerProcess, startServerProcess } from '../processes/server-process.ts';
import { ChunkLanes, type WireChunk } from '../uploads/chunk-lanes.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import { startInvitation, VERA, visitInvitation } from './visit.ts';
import { VisitorUploads } from './visitor-uploads.ts';

/** A file whose bytes are generated when they are sent, because the folder may be larger than memory. */
export type FolderFile = { path: string; sizeBytes: number };

export function planFolder(totalBytes: number): FolderFile[] {
  const large = [0.5, 0.3, 0.15].map((share, index) => ({
    path: `film/reel-${index}.mov`,
    sizeBytes: Math.floor(totalBytes * share) - index * 4_321,
  }));
  const small = Array.from({ length: 20 }, (_, index) => ({
    path: `film/notes/${index}.txt`,
    sizeBytes: index * KIB,
  }));
  const rest = totalBytes - [...large, ...small].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [...large, ...small, { path: 'film/sound.wav', sizeBytes: rest }];
}

function makeChunk({ path, sizeBytes }: FolderFile, index: number): Buffer {
  return makeBytes(chunkLength(sizeBytes, CHUNK_BYTES, index), `${path} ${index}`);
}

function hashFile(file: FolderFile): string {
  const hash = createHash('sha256');
  for (let index = 0; index < planChunks(file.sizeBytes).totalChunks; index += 1)
    hash.update(makeChunk(file, index));
  return hash.digest('hex');
}

export type Delivery = {
  visitor: VisitorUploads;
  invitationToken: string;
  files: FolderFile[];
  uploadIds: string[];
};

/** The chunks that the server does not list, generated when they are sent. */
export async function* missingChunks({ visitor, files, uploadIds }: Delivery): AsyncGenerator<WireChunk> {
  for (const [position, file] of files.entries()) {
    const uploadId = uploadIds[position]!;
    const listed = new Set(await persist(() => visitor.listChunks(uploadId)));
    for (let index = 0; index < planChunks(file.sizeBytes).totalChunks; index += 1)
      if (!listed.has(index)) yield { uploadId, index, bytes: makeChunk(file, index) };
  }
}

/** Retries when the connection breaks, as a page does. A refusal is final. */
export async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
}

export function openLanes({ visitor, invitationToken }: Delivery, onAnswer?: () => void): ChunkLanes {
  return new ChunkLanes(visitor.client, onAnswer, `?${new URLSearchParams({ invitationToken })}`);
}

export async function announce(visitor: VisitorUploads, files: FolderFile[]) {
  return visitor.announceAs(
    files.map(({ path, sizeBytes }) => ({
      fileName: path.split('/').at(-1)!,
      relativePath: path,
      fileSize: sizeBytes,
      totalChunks: planChunks(sizeBytes).totalChunks,
    })),
  );
}

/** A server with an invitation of ada. vera, connected through the URL of `lineTo`, has verified her address. */
export async function openVisitTo(t: TestContext, lineTo: (server: ServerProcess) => Promise<string>) {
  const server = await startServerProcess(t);
  const ada = await server.signIn();
  const { token: invitationToken } = await startInvitation(ada);
  const url = await lineTo(server);
  const visited = { anonymous: () => new Client(url), mails: async () => readMails(server) };
  const visitor = new VisitorUploads(await visitInvitation(visited, invitationToken), invitationToken);
  return { server, ada, invitationToken, visitor };
}

export function readMails(server: ServerProcess): MailRow[] {
  return server.withDatabase((database) =>
    database.prepare('select * from mails order by "createdAt"').all(),
  ) as unknown as MailRow[];
}

export async function requireArrived(ada: Client, transferId: string, files: FolderFile[]): Promise<void> {
  const transfer = await ada.call(getTransfer, { params: { id: transferId } });
  assert.deepEqual([transfer.receivedFrom, transfer.files.length], [VERA, files.length]);
  for (const [position, { id, relativePath }] of transfer.files.entries()) {
    const file = files[position]!;
    const hash = createHash('sha256');
    const { body } = await ada.fetch(fileDownloadPath(transfer.token, id));
    for await (const bytes of body ?? []) hash.update(bytes);
    assert.deepEqual([relativePath, hash.digest('hex')], [file.path, hashFile(file)]);
  }
}
