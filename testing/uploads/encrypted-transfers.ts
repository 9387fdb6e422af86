import { createCipheriv, createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { planChunks } from '../../contracts/plans/limits.ts';
import { encryptedSize, SEGMENT_BYTES, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import {
  completeUploads,
  initUploads,
  putSealedKey,
  type TransferSettingsInput,
} from '../../contracts/transfers/uploads/uploads.ts';
import { createEncryption } from '../../encryption/keys.ts';
import { encryptedLink } from '../../encryption/link.ts';
import { sealManifest } from '../../encryption/manifest.ts';
import { type Picture, sealPictures } from '../../encryption/pictures.ts';
import { sealLinkSecret } from '../../encryption/requests.ts';
import { createFileId, sealSegments } from '../../encryption/segments.ts';
import type { Client } from '../calls/client.ts';
import { putSealed } from './sealed-transfers.ts';
import { sendChunk } from './upload-files.ts';

export type PlainFile = {
  path: string;
  /** A large file makes its bytes as they are needed. */
  bytes: Buffer | LargeContent;
  mimeType?: string;
  /** WebP. */
  picture?: Buffer;
};

export type LargeContent = { length: number; subarray(start: number, end: number): Buffer };

export type EncryptedTransfer = {
  id: string;
  token: string;
  /** Without the server's address: `/e/TOKEN#1.KEY`. Visitors get no token. */
  link: string;
  /** `sha256` in hex, of the plaintext. */
  files: { path: string; id: string; fileId: string; sha256: string }[];
};

type Letter = {
  title?: string;
  message?: string;
  password?: string;
  settings?: TransferSettingsInput;
  /** The path of a file of which one stored bit is flipped. */
  damaged?: string;
  /** The encrypted invitation that a visitor sends to. */
  request?: { invitationId: string; invitationToken: string; inboxKey: string };
};

const MODIFIED_AT = Date.UTC(2026, 2, 14, 9, 26, 52);

/** Seals files as a sender's browser does, and sends them through the API. */
export async function sendEncryptedTransfer(
  client: Client,
  plain: PlainFile[],
  { title, message, password, settings = {}, damaged, request }: Letter = {},
): Promise<EncryptedTransfer> {
  const { linkSecret, params, accessKeyHash, keys } = await createEncryption(password ? { password } : {});
  const visit = request ? { invitationToken: request.invitationToken } : {};
  const named = plain.map((file) => ({ ...file, fileId: createFileId() }));
  const { transferId, uploads } = await client.call(initUploads, {
    body: {
      ...visit,
      encryption: { ...params, accessKeyHash },
      files: named.map(({ fileId, bytes }) => describeSealed(fileId, encryptedSize(bytes.length))),
    },
  });
  const sent = [];
  for (const [index, { uploadId: id }] of uploads.entries()) {
    const file = named[index]!;
    const isDamaged = file.path === damaged;
    const sums = await sendSealed(client, keys.content, { ...file, ...visit, id, isDamaged });
    sent.push({ ...file, ...sums, id });
  }
  const manifest = await sealManifest(
    keys.manifest,
    {
      version: 1,
      title: title ?? null,
      message: message ?? null,
      files: sent.map(({ fileId, path, bytes, crc, mimeType = 'application/octet-stream' }) => ({
        fileId,
        path,
        size: bytes.length,
        modifiedAt: MODIFIED_AT,
        mimeType,
        crc32: crc,
        sha256: null,
      })),
    },
    1,
  );
  await store(client, { transferId, revision: 1, bytes: Buffer.from(manifest), ...visit });
  const pictures = new Map(
    sent.flatMap(({ fileId, picture }): [string, Picture][] =>
      picture ? [[fileId, { mimeType: 'image/webp', bytes: new Uint8Array(picture) }]] : [],
    ),
  );
  if (pictures.size > 0) {
    const bytes = Buffer.from(await sealPictures(keys.pictures, pictures, 1));
    await store(client, { transferId, revision: 1, bytes, kind: 'pictures', ...visit });
  }
  if (request) {
    const { invitationId, inboxKey } = request;
    const sealedKey = await sealLinkSecret(inboxKey, { invitationId, transferId }, linkSecret);
    await client.call(putSealedKey, { params: { transferId }, body: { ...visit, sealedKey } });
  }
  const uploadIds = sent.map(({ id }) => id);
  const body = { ...visit, transferId, uploadIds, fileCount: uploadIds.length, ...settings };
  const { token } = await client.call(completeUploads, { body });
  const link = encryptedLink('', token, linkSecret);
  return {
    id: transferId,
    token,
    link,
    files: sent.map(({ path, id, fileId, sha256 }) => ({ path, id, fileId, sha256 })),
  };
}

type Sealing = Pick<PlainFile, 'bytes'> & {
  id: string;
  fileId: string;
  isDamaged: boolean;
  invitationToken?: string;
};
type ContentKey = Parameters<typeof sealSegments>[0];

/** Chunk by chunk, so that a file may be larger than memory. */
async function sendSealed(
  client: Client,
  key: ContentKey,
  { bytes, id, fileId, isDamaged, invitationToken }: Sealing,
): Promise<{ crc: number; sha256: string }> {
  const { chunkSize, totalChunks } = planChunks(encryptedSize(bytes.length));
  const segments = chunkSize / SEGMENT_BYTES;
  const hash = createHash('sha256');
  let crc = 0;
  for (let index = 0; index < totalChunks; index += 1) {
    const start = index * segments * SEGMENT_PLAIN_BYTES;
    const end = Math.min(start + segments * SEGMENT_PLAIN_BYTES, bytes.length);
    const plain = bytes.subarray(start, end);
    hash.update(plain);
    crc = crc32(plain, crc);
    const place = { fileId, plainBytes: bytes.length, firstSegment: index * segments };
    const body = await sealSegments(key, place, new Uint8Array(plain));
    if (isDamaged && index === 0) body[Math.floor(body.length / 2)]! ^= 1;
    const response = await sendChunk(client, {
      uploadId: id,
      index,
      body,
      ...(invitationToken !== undefined && { invitationToken }),
    });
    if (!response.ok) throw new Error(`chunk ${index}: ${response.status} ${await response.text()}`);
    await response.body?.cancel();
  }
  return { crc, sha256: hash.digest('hex') };
}

/** Pseudorandom, the same in every run. */
export function makeLargeContent(length: number, seed: string): LargeContent {
  const key = createHash('sha256').update(seed).digest();
  return {
    length,
    subarray: (start, end) => {
      const block = Math.floor(start / 16);
      const counter = Buffer.alloc(16);
      counter.writeBigUInt64BE(BigInt(block), 8);
      const bytes = createCipheriv('aes-256-ctr', key, counter).update(Buffer.alloc(end - block * 16));
      return bytes.subarray(start - block * 16);
    },
  };
}

function describeSealed(fileName: string, fileSize: number) {
  const { totalChunks } = planChunks(fileSize);
  return { fileName, relativePath: fileName, fileSize, totalChunks, mimeType: 'application/octet-stream' };
}

async function store(client: Client, document: Parameters<typeof putSealed>[1]): Promise<void> {
  const response = await putSealed(client, document);
  if (response.status !== 204)
    throw new Error(`${document.kind}: ${response.status} ${await response.text()}`);
}
