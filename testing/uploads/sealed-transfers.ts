import { createHash } from 'node:crypto';
import { planChunks } from '../../contracts/plans/limits.ts';
import { verifyDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { encryptedSize, MANIFEST_BLOCK_BYTES } from '../../contracts/transfers/encryption.ts';
import {
  completeUploads,
  initUploads,
  type NewEncryption,
  type TransferSettingsInput,
} from '../../contracts/transfers/uploads/uploads.ts';
import type { Client } from '../calls/client.ts';
import { makeBytes, sendChunks } from './upload-files.ts';

/** Bytes of an encrypted size. They are not really sealed: the server can't tell. */
export function makeSealed(plainBytes: number, seed = 'sealed'): Buffer {
  return makeBytes(encryptedSize(plainBytes), seed);
}

export function makeSealedManifest(seed = 'manifest', steps = 1): Buffer {
  return makeSealed(steps * MANIFEST_BLOCK_BYTES, seed);
}

/** The same for the same seed. */
export function makeAccess(seed = 'access'): { accessKey: string; encryption: NewEncryption } {
  const key = makeBytes(32, seed);
  const accessKeyHash = createHash('sha256').update(key).digest('base64url');
  const salt = makeBytes(16, `${seed} salt`).toString('base64url');
  const commit = makeBytes(32, `${seed} commit`).toString('base64url');
  const params = { version: 'e2e-1', salt, kdf: { name: 'none' }, commit } as const;
  return { accessKey: key.toString('base64url'), encryption: { ...params, accessKeyHash } };
}

export function fileIdOf(seed: string): string {
  return makeBytes(16, seed).toString('hex');
}

export function describeSealed(fileName: string, { length: fileSize }: Buffer) {
  const { totalChunks } = planChunks(fileSize);
  return { fileName, relativePath: fileName, fileSize, totalChunks, mimeType: 'application/octet-stream' };
}

type Document = {
  transferId: string;
  revision: number;
  bytes: Buffer;
  kind?: 'manifest' | 'pictures';
  /** Of a visitor. */
  invitationToken?: string | undefined;
};

/** Returns the response, also a refusal. */
export function putSealed(
  client: Client,
  { transferId, revision, bytes, kind = 'manifest', invitationToken }: Document,
): Promise<Response> {
  const query = new URLSearchParams({
    revision: String(revision),
    ...(invitationToken !== undefined && { invitationToken }),
  });
  return client.fetch(`/api/upload/${kind}/${transferId}?${query}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream', accept: 'application/json' },
    body: new Uint8Array(bytes),
  });
}

export type SealedTransfer = {
  id: string;
  token: string;
  accessKey: string;
  encryption: NewEncryption;
  files: { id: string; fileName: string; bytes: Buffer }[];
  manifest: Buffer;
};

type Plan = { sizes?: number[]; seed?: string; settings?: TransferSettingsInput };

/** Announces, sends and completes an encrypted transfer with files of these plain sizes. */
export async function sendSealedTransfer(
  client: Client,
  { sizes = [1_000, 20], seed = 'transfer', settings = {} }: Plan = {},
): Promise<SealedTransfer> {
  const { accessKey, encryption } = makeAccess(seed);
  const contents = sizes.map((size, index) => ({
    fileName: fileIdOf(`${seed} ${index}`),
    bytes: makeSealed(size, `${seed} ${index}`),
  }));
  const files = contents.map(({ fileName, bytes }) => describeSealed(fileName, bytes));
  const { transferId, uploads } = await client.call(initUploads, { body: { encryption, files } });
  for (const [index, { uploadId }] of uploads.entries())
    await sendChunks(client, uploadId, contents[index]!.bytes);
  const manifest = makeSealedManifest(seed);
  const stored = await putSealed(client, { transferId, revision: 1, bytes: manifest });
  if (stored.status !== 204) throw new Error(`manifest: ${stored.status} ${await stored.text()}`);
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  const body = { transferId, uploadIds, fileCount: uploadIds.length, ...settings };
  const { token } = await client.call(completeUploads, { body });
  const sent = contents.map((content, index) => ({ ...content, id: uploadIds[index]! }));
  return { id: transferId, token, accessKey, encryption, files: sent, manifest };
}

export async function unlockSealed(
  client: Client,
  { token, accessKey }: Pick<SealedTransfer, 'token' | 'accessKey'>,
): Promise<void> {
  await client.call(verifyDownload, { params: { token }, body: { accessKey } });
}
