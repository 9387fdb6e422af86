import type { S3 } from '@aws-sdk/client-s3';
import { MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import {
  type ChunkNote,
  chunkLengthAt,
  type DirectAccess,
  type Place,
  type SignedPart,
  type SignedRead,
} from '../blob-store.ts';
import type { PartNotes } from '../s3/part-notes.ts';
import { codeOf, encodeCrc32 } from '../s3/s3-client.ts';
import type { BucketPlace, S3Objects } from '../s3/s3-objects.ts';
import { type Signer, verifyDirectAccess } from './verify-direct-access.ts';

const PART_LIFE_MS = 15 * MINUTE_MS;
/** URLs cannot be revoked, so keep them short-lived. S3 checks the expiry only when a request begins. */
const READ_LIFE_MS = 5 * MINUTE_MS;

export type S3DirectOptions = BucketPlace & {
  client: S3;
  objects: S3Objects;
  notes: PartNotes;
  endpoint?: string | undefined;
  clock?: Clock;
};

export async function openS3Direct(options: S3DirectOptions): Promise<DirectAccess> {
  const [{ getSignedUrl }, { GetObjectCommand, UploadPartCommand }] = await Promise.all([
    import('@aws-sdk/s3-request-presigner'),
    import('@aws-sdk/client-s3'),
  ]);
  const { client, bucket, prefix } = options;
  const signer: Signer = {
    async part({ storageKey, multipartId, number, sizeBytes, crc32 }) {
      const target = { Bucket: bucket, Key: prefix + storageKey, UploadId: multipartId, PartNumber: number };
      const body = { ContentLength: sizeBytes, ChecksumCRC32: encodeCrc32(crc32) };
      return getSignedUrl(client, new UploadPartCommand({ ...target, ...body }), {
        expiresIn: PART_LIFE_MS / SECOND_MS,
        // S3 enforces these only as signed headers, not in the query.
        unhoistableHeaders: new Set(['x-amz-checksum-crc32']),
        signableHeaders: new Set(['host', 'content-length', 'x-amz-checksum-crc32']),
      });
    },
    async read(storageKey, { contentType, contentDisposition }) {
      const command = new GetObjectCommand({
        Bucket: bucket,
        Key: prefix + storageKey,
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
        ResponseCacheControl: 'private, no-cache',
      });
      return getSignedUrl(client, command, { expiresIn: READ_LIFE_MS / SECOND_MS });
    },
  };
  const example = await signer.read('example', {
    contentType: 'text/plain',
    contentDisposition: 'attachment',
  });
  return new S3Direct(signer, new URL(example).origin, options);
}

class S3Direct implements DirectAccess {
  readonly origin: string;
  readonly #signer: Signer;
  readonly #objects: S3Objects;
  readonly #notes: PartNotes;
  readonly #clock: Clock;
  #isOpen = false;

  constructor(signer: Signer, origin: string, { objects, notes, clock = systemClock }: S3DirectOptions) {
    this.origin = origin;
    this.#signer = signer;
    this.#objects = objects;
    this.#notes = notes;
    this.#clock = clock;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async signChunk(place: Place, { index, crc32 }: ChunkNote): Promise<SignedPart | undefined> {
    const sizeBytes = chunkLengthAt(place, index);
    if (!this.#isOpen || place.chunkCount <= 1) return undefined;
    const { storageKey } = place;
    const multipart = await this.#notes.findMultipart(storageKey);
    if (!multipart?.carriesCrc32) return undefined;
    if ((await this.#notes.bindPart(storageKey, index, crc32)) !== crc32) return undefined;
    const expiresAt = this.#clock.now() + PART_LIFE_MS;
    const { multipartId } = multipart;
    const url = await this.#signer.part({ storageKey, multipartId, number: index + 1, sizeBytes, crc32 });
    return { url, headers: { 'x-amz-checksum-crc32': encodeCrc32(crc32) }, expiresAt };
  }

  async confirmChunks(place: Place, indexes: number[]): Promise<number[]> {
    const { storageKey } = place;
    const bound = await this.#notes.listBound(storageKey, indexes);
    const multipart = await this.#notes.findMultipart(storageKey);
    if (!multipart || bound.size === 0) return [];
    const confirmed: number[] = [];
    const { multipartId } = multipart;
    const [first, last] = [Math.min(...bound.keys()), Math.max(...bound.keys())];
    try {
      for await (const part of this.#objects.listParts({ storageKey, multipartId }, first)) {
        const index = part.number - 1;
        if (index > last) break;
        const crc32 = bound.get(index);
        if (crc32 === undefined || part.sizeBytes !== chunkLengthAt(place, index)) continue;
        if (part.crc32 !== undefined && part.crc32 !== encodeCrc32(crc32)) continue;
        await this.#notes.savePart(storageKey, { index, sizeBytes: part.sizeBytes, crc32, etag: part.etag });
        confirmed.push(index);
      }
    } catch (error) {
      // The next chunk through this server begins a new multipart upload.
      if (codeOf(error) !== 'NoSuchUpload') throw error;
    }
    return confirmed;
  }

  async signRead(
    { storageKey, sizeBytes }: { storageKey: string; sizeBytes: number },
    head: SignedRead,
  ): Promise<string | undefined> {
    if (!this.#isOpen) return undefined;
    const found = await this.#objects.find(storageKey);
    return found?.sizeBytes === sizeBytes ? this.#signer.read(storageKey, head) : undefined;
  }

  async verify(pageOrigin: string): Promise<void> {
    try {
      await verifyDirectAccess(
        { origin: this.origin, signer: this.#signer, objects: this.#objects },
        pageOrigin,
      );
      this.#isOpen = true;
    } catch (error) {
      this.#isOpen = false;
      throw error;
    }
  }
}
