import type { S3 } from '@aws-sdk/client-s3';
import type { StoredBlob } from './blob-store.ts';
import type { S3Requests } from './s3-requests.ts';

type StoredMultipart = StoredBlob & { multipartId: string };
export type StoredPart = { number: number; sizeBytes: number; etag: string; crc32: string | undefined };

/** Only keys below `prefix` are ever listed: other installations may use the same bucket. */
type Listing = { client: S3; requests: S3Requests; bucket: string; prefix: string };

/** Every object of ours, page by page. */
export async function* listObjects({
  client,
  requests,
  bucket,
  prefix,
}: Listing): AsyncGenerator<StoredBlob> {
  for (let token: string | undefined, isMore = true; isMore; ) {
    const input = { Bucket: bucket, Prefix: prefix, ContinuationToken: token };
    const page = await requests.ask((abortSignal) => client.listObjectsV2(input, { abortSignal }));
    for (const object of page.Contents ?? [])
      yield describe(prefix, object.Key, object.Size, object.LastModified);
    isMore = page.IsTruncated === true;
    token = page.NextContinuationToken;
  }
}

/** Unfinished multipart uploads; S3 does not say how long they are. */
export async function* listMultiparts({
  client,
  requests,
  bucket,
  prefix,
}: Listing): AsyncGenerator<StoredMultipart> {
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (let isMore = true; isMore; ) {
    const input = { Bucket: bucket, Prefix: prefix, ...markers };
    const page = await requests.ask((abortSignal) => client.listMultipartUploads(input, { abortSignal }));
    for (const upload of page.Uploads ?? []) {
      yield { ...describe(prefix, upload.Key, 0, upload.Initiated), multipartId: upload.UploadId! };
    }
    isMore = page.IsTruncated === true;
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

/** The stored parts with numbers above `after`, in their order. */
export async function* listStoredParts(
  { client, requests, bucket, prefix }: Listing,
  multipart: { storageKey: string; multipartId: string },
  after = 0,
): AsyncGenerator<StoredPart> {
  let marker = after > 0 ? String(after) : undefined;
  for (let isMore = true; isMore; ) {
    const target = { Bucket: bucket, Key: prefix + multipart.storageKey, UploadId: multipart.multipartId };
    const input = { ...target, PartNumberMarker: marker };
    const page = await requests.ask((abortSignal) => client.listParts(input, { abortSignal }), {
      accept: ['NoSuchUpload'],
    });
    for (const part of page.Parts ?? []) {
      const { PartNumber: number = 0, Size: sizeBytes = 0, ETag: etag = '', ChecksumCRC32: crc32 } = part;
      yield { number, sizeBytes, etag, crc32 };
    }
    isMore = page.IsTruncated === true;
    marker = page.NextPartNumberMarker;
  }
}

function describe(prefix: string, key = '', sizeBytes = 0, modified = new Date(0)): StoredBlob {
  return { storageKey: key.slice(prefix.length), sizeBytes, modifiedAt: modified.getTime() };
}
