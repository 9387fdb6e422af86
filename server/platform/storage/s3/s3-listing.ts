import type { _Object, S3 } from '@aws-sdk/client-s3';
import type { StoredBlob } from '../blob-store.ts';
import type { S3Requests } from './s3-client.ts';

/** Beside the blobs' prefix, so that no listing of blobs includes the marks. */
export function trashPrefixOf(prefix: string): string {
  return prefix.replace(/\/*$/, '-trash/');
}

type StoredMultipart = StoredBlob & { multipartId: string };
export type StoredPart = { number: number; sizeBytes: number; etag: string; crc32: string | undefined };

/** Restricted to `prefix`, because other installations may use the same bucket. */
type Listing = { client: S3; requests: S3Requests; bucket: string; prefix: string };

export async function* listObjects(listing: Listing): AsyncGenerator<StoredBlob> {
  for await (const object of listPrefix(listing, listing.prefix))
    yield describe(listing.prefix, object.Key, object.Size, object.LastModified);
}

/** In order, without the trash's prefix. */
export async function* listTrashNames(listing: Listing, start = ''): AsyncGenerator<string> {
  const trashPrefix = trashPrefixOf(listing.prefix);
  for await (const { Key = '' } of listPrefix(listing, trashPrefix + start))
    yield Key.slice(trashPrefix.length);
}

async function* listPrefix({ client, requests, bucket }: Listing, prefix: string): AsyncGenerator<_Object> {
  for (let token: string | undefined, isMore = true; isMore; ) {
    const input = { Bucket: bucket, Prefix: prefix, ContinuationToken: token };
    const page = await requests.run((abortSignal) => client.listObjectsV2(input, { abortSignal }));
    yield* page.Contents ?? [];
    isMore = page.IsTruncated === true;
    token = page.NextContinuationToken;
  }
}

export async function* listMultiparts({
  client,
  requests,
  bucket,
  prefix,
}: Listing): AsyncGenerator<StoredMultipart> {
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (let isMore = true; isMore; ) {
    const input = { Bucket: bucket, Prefix: prefix, ...markers };
    const page = await requests.run((abortSignal) => client.listMultipartUploads(input, { abortSignal }));
    for (const upload of page.Uploads ?? []) {
      yield { ...describe(prefix, upload.Key, 0, upload.Initiated), multipartId: upload.UploadId! };
    }
    isMore = page.IsTruncated === true;
    markers = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
  }
}

/** Part numbers above `after`, in order. */
export async function* listStoredParts(
  { client, requests, bucket, prefix }: Listing,
  multipart: { storageKey: string; multipartId: string },
  after = 0,
): AsyncGenerator<StoredPart> {
  let marker = after > 0 ? String(after) : undefined;
  for (let isMore = true; isMore; ) {
    const target = { Bucket: bucket, Key: prefix + multipart.storageKey, UploadId: multipart.multipartId };
    const input = { ...target, PartNumberMarker: marker };
    const page = await requests.run((abortSignal) => client.listParts(input, { abortSignal }), {
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
