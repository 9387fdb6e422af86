import { crc32 } from 'node:zlib';
import { planChunks } from '../../contracts/plans/limits.ts';
import { publishTransfer } from '../../contracts/transfers/arrival.ts';
import { SEGMENT_BYTES, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import {
  completeUploads,
  initUploads,
  type TransferSettingsInput,
} from '../../contracts/transfers/uploads/uploads.ts';
import type { Bytes } from '../../encryption/bytes.ts';
import { createEncryption, type TransferKeys } from '../../encryption/keys.ts';
import { encryptedLink } from '../../encryption/link.ts';
import { type Manifest, sealManifest } from '../../encryption/manifest.ts';
import { createFileId, sealSegments } from '../../encryption/segments.ts';
import type { Client } from '../calls/client.ts';
import { describeSealed, putSealed } from '../uploads/sealed-transfers.ts';
import { sendChunks } from '../uploads/upload-files.ts';

export type PlainFile = { path: string; bytes: Buffer };

export type EncryptedTransfer = {
  id: string;
  token: string;
  link: string;
  keys: TransferKeys;
  manifest: Manifest;
  /** In the order of the files. */
  sealed: Buffer[];
};

type Plan = {
  files: PlainFile[];
  password?: string;
  settings?: TransferSettingsInput;
  /** Shares the link and sends no file. */
  isArriving?: boolean;
};

/** Seals files as clients do, and sends them with the calls that docs/formats/e2ee.md describes. */
export async function sendEncrypted(
  client: Client,
  { files, password, settings = {}, isArriving = false }: Plan,
): Promise<EncryptedTransfer> {
  const { linkSecret, params, accessKeyHash, keys } = await createEncryption({ password });
  const described = files.map(({ path, bytes }) => ({
    fileId: createFileId(),
    path,
    size: bytes.length,
    modifiedAt: null,
    mimeType: 'application/octet-stream',
    crc32: crc32(bytes),
    sha256: null,
  }));
  const sealed = await Promise.all(
    files.map(({ bytes }, index) => sealChunks(keys, described[index]!.fileId, bytes)),
  );
  const announced = sealed.map((bytes, index) => describeSealed(described[index]!.fileId, bytes));
  const encryption = { ...params, accessKeyHash };
  const { transferId, uploads } = await client.call(initUploads, { body: { encryption, files: announced } });
  if (!isArriving)
    for (const [index, { uploadId }] of uploads.entries()) await sendChunks(client, uploadId, sealed[index]!);
  const manifest: Manifest = { version: 1, title: 'Title', message: 'Message', files: described };
  const bytes = Buffer.from(await sealManifest(keys.manifest, manifest, 1));
  const stored = await putSealed(client, { transferId, revision: 1, bytes });
  if (!stored.ok) throw new Error(`manifest: ${stored.status} ${await stored.text()}`);
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  const { length: fileCount } = uploadIds;
  const { token } = isArriving
    ? await client.call(publishTransfer, {
        params: { id: transferId },
        body: { expectedFiles: fileCount, ...settings },
      })
    : await client.call(completeUploads, { body: { transferId, uploadIds, fileCount, ...settings } });
  return {
    id: transferId,
    token,
    link: encryptedLink(client.url, token, linkSecret),
    keys,
    manifest,
    sealed,
  };
}

/** Chunk by chunk, each alone. */
export async function sealChunks(
  { content }: Pick<TransferKeys, 'content'>,
  fileId: string,
  bytes: Uint8Array,
): Promise<Buffer> {
  const plain = new Uint8Array(bytes);
  const perChunk = planChunks(plain.length).chunkSize / SEGMENT_BYTES;
  const pieces: Bytes[] = [];
  for (let segment = 0; segment === 0 || segment * SEGMENT_PLAIN_BYTES < plain.length; segment += perChunk) {
    const part = plain.subarray(segment * SEGMENT_PLAIN_BYTES, (segment + perChunk) * SEGMENT_PLAIN_BYTES);
    const place = { fileId, plainBytes: plain.length, firstSegment: segment };
    pieces.push(await sealSegments(content, place, part));
  }
  return Buffer.concat(pieces);
}
