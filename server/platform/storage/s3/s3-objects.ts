import { Readable } from 'node:stream';
import type { S3 } from '@aws-sdk/client-s3';
import { AppError } from '../../lib/app-error.ts';
import type { StoredBlob } from '../blob-store.ts';
import type { MultipartNote, PartNote } from './part-notes.ts';
import { codeOf, encodeCrc32, type S3Requests, statusOf } from './s3-client.ts';
import {
  listMultiparts,
  listObjects,
  listStoredParts,
  listTrashNames,
  type StoredPart,
  trashPrefixOf,
} from './s3-listing.ts';
import type { OpenedBody } from './s3-range.ts';

const MISSING = ['NoSuchKey', 'NotFound'];
const EXISTS = ['PreconditionFailed', 'ConditionalRequestConflict'];
/** From stores that don't support `If-None-Match` on a write. */
const NO_CONDITIONS = ['NotImplemented', 'InvalidArgument', 'InvalidRequest'];
const NOT_JOINED = ['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall'];

/** `prefix` ends with a slash. */
export type BucketPlace = { bucket: string; prefix: string };

type FoundObject = { sizeBytes: number; etag: string };

type SentPart = MultipartNote & { number: number; crc32: number };

type SentBody = { open: () => AsyncIterable<Buffer>; sizeBytes: number; signal?: AbortSignal };

/** `gone`: S3 no longer knows the multipart upload. `refused`: it lacks some parts. */
type JoinOutcome = 'done' | 'gone' | 'refused';

export class S3Objects {
  readonly #client: S3;
  readonly #requests: S3Requests;
  readonly #bucket: string;
  readonly #prefix: string;

  constructor(client: S3, requests: S3Requests, { bucket, prefix }: BucketPlace) {
    this.#client = client;
    this.#requests = requests;
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async put(storageKey: string, body: SentBody): Promise<string> {
    return this.#send(body, async (payload, abortSignal) => {
      const sent = { ...this.#locate(storageKey), ...payload };
      return (await this.#client.putObject(sent, { abortSignal })).ETag;
    });
  }

  async putEmpty(storageKey: string): Promise<void> {
    await this.#requests.run((abortSignal) =>
      this.#client.putObject({ ...this.#locate(storageKey), Body: '', ContentLength: 0 }, { abortSignal }),
    );
  }

  /** Throws `NoSuchUpload` unchanged. */
  async putPart(
    storageKey: string,
    { multipartId, carriesCrc32, number, crc32 }: SentPart,
    body: SentBody,
  ): Promise<string> {
    return this.#send(body, async (payload, abortSignal) => {
      const sum = carriesCrc32 && { ChecksumCRC32: encodeCrc32(crc32) };
      const target = { ...this.#locate(storageKey), UploadId: multipartId, PartNumber: number, ...sum };
      return (await this.#client.uploadPart({ ...target, ...payload }, { abortSignal })).ETag;
    });
  }

  /** With `carriesCrc32`, parts and the completion must carry checksums. */
  async beginMultipart(storageKey: string, carriesCrc32: boolean): Promise<string> {
    const input = {
      ...this.#locate(storageKey),
      ...(carriesCrc32 && { ChecksumAlgorithm: 'CRC32' as const }),
    };
    return this.#requests.run(async (abortSignal) => {
      const answer = await this.#client.createMultipartUpload(input, { abortSignal });
      return expectPresent(answer.UploadId, 'UploadId');
    });
  }

  /** Idempotent. */
  async complete(
    storageKey: string,
    { multipartId, carriesCrc32 }: MultipartNote,
    parts: PartNote[],
  ): Promise<JoinOutcome> {
    const Parts = parts.map(({ index, etag, crc32 }) => ({
      PartNumber: index + 1,
      ETag: etag,
      ...(carriesCrc32 && { ChecksumCRC32: encodeCrc32(crc32) }),
    }));
    const input = { ...this.#locate(storageKey), UploadId: multipartId, MultipartUpload: { Parts } };
    const accept = ['NoSuchUpload', ...NOT_JOINED];
    try {
      await this.#requests.run(
        async (abortSignal) => {
          const answer = await this.#client.completeMultipartUpload(input, { abortSignal });
          expectPresent(answer.ETag, 'ETag');
        },
        { accept },
      );
      return 'done';
    } catch (error) {
      if (codeOf(error) === 'NoSuchUpload') return 'gone';
      if (NOT_JOINED.includes(codeOf(error))) return 'refused';
      throw error;
    }
  }

  async listPartTags(storageKey: string, multipartId: string): Promise<Map<number, string>> {
    const tags = new Map<number, string>();
    for await (const { number, etag } of this.listParts({ storageKey, multipartId })) tags.set(number, etag);
    return tags;
  }

  /** Part numbers above `after`. Throws `NoSuchUpload` unchanged. */
  listParts(
    multipart: { storageKey: string; multipartId: string },
    after?: number,
  ): AsyncGenerator<StoredPart> {
    return listStoredParts(this.#listing(), multipart, after);
  }

  async abortMultipart(storageKey: string, multipartId: string): Promise<void> {
    const input = { ...this.#locate(storageKey), UploadId: multipartId };
    await unlessMissing(['NoSuchUpload', ...MISSING], (accept) =>
      this.#requests.run((abortSignal) => this.#client.abortMultipartUpload(input, { abortSignal }), {
        accept,
      }),
    );
  }

  /** One object per request, because some stores fail at deleting many. */
  async remove(storageKey: string): Promise<void> {
    await unlessMissing(MISSING, (accept) =>
      this.#requests.run(
        (abortSignal) => this.#client.deleteObject(this.#locate(storageKey), { abortSignal }),
        { accept },
      ),
    );
  }

  async find(storageKey: string): Promise<FoundObject | undefined> {
    const head = async (abortSignal: AbortSignal) => {
      const answer = await this.#client.headObject(this.#locate(storageKey), { abortSignal });
      return {
        sizeBytes: expectPresent(answer.ContentLength, 'Content-Length'),
        etag: expectPresent(answer.ETag, 'ETag'),
      };
    };
    return unlessMissing(MISSING, (accept) => this.#requests.run(head, { accept }));
  }

  /** In bytes. Throws AppError `file_not_found`. */
  async getSize(storageKey: string): Promise<number> {
    const found = await this.find(storageKey);
    if (!found) throw new AppError('file_not_found');
    return found.sizeBytes;
  }

  /** Throws AppError `file_not_found`; `PreconditionFailed` and `InvalidRange` unchanged. */
  async openBody(
    storageKey: string,
    { start, end }: { start: number; end: number },
    etag?: string,
  ): Promise<OpenedBody> {
    const input = { ...this.#locate(storageKey), Range: `bytes=${start}-${end - 1}`, IfMatch: etag };
    const get = async (abortSignal: AbortSignal) => {
      const answer = await this.#client.getObject(input, { abortSignal });
      const body = expectPresent(answer.Body, 'body') as Readable;
      return { body, etag: expectPresent(answer.ETag, 'ETag') };
    };
    const opened = await unlessMissing(MISSING, (missing) =>
      this.#requests.run(get, { accept: [...missing, 'PreconditionFailed', 'InvalidRange'] }),
    );
    if (!opened) throw new AppError('file_not_found');
    return opened;
  }

  list(): AsyncGenerator<StoredBlob> {
    return listObjects(this.#listing());
  }

  /** Only two attempts, because callers poll it. */
  async getText(name: string): Promise<string | undefined> {
    const get = async (abortSignal: AbortSignal) => {
      try {
        const { Body } = await this.#client.getObject(this.#locate(name), { abortSignal });
        return await expectPresent(Body, 'body').transformToString();
      } catch (error) {
        throw MISSING.includes(codeOf(error)) ? error : explainBucketError(error, this.#bucket);
      }
    };
    return unlessMissing(MISSING, (accept) => this.#requests.run(get, { accept, tries: 2 }));
  }

  async putText(name: string, text: string): Promise<void> {
    const input = { ...this.#locate(name), Body: text, ContentLength: Buffer.byteLength(text) };
    await this.#requests.run((abortSignal) => this.#client.putObject(input, { abortSignal }));
  }

  /**
   * `unsupported`: the store rejects conditional writes. A store that ignores the condition returns
   * `created`.
   */
  async putTextIfAbsent(name: string, text: string): Promise<'created' | 'exists' | 'unsupported'> {
    const body = { Body: text, ContentLength: Buffer.byteLength(text) };
    const input = { ...this.#locate(name), ...body, IfNoneMatch: '*' };
    try {
      await this.#requests.run((abortSignal) => this.#client.putObject(input, { abortSignal }), {
        accept: [...EXISTS, ...NO_CONDITIONS],
      });
      return 'created';
    } catch (error) {
      if (EXISTS.includes(codeOf(error))) return 'exists';
      if (NO_CONDITIONS.includes(codeOf(error))) return 'unsupported';
      throw error;
    }
  }

  listMultiparts(): ReturnType<typeof listMultiparts> {
    return listMultiparts(this.#listing());
  }

  listTrashNames(start?: string): AsyncGenerator<string> {
    return listTrashNames(this.#listing(), start);
  }

  async putTrashName(name: string): Promise<void> {
    const input = {
      Bucket: this.#bucket,
      Key: trashPrefixOf(this.#prefix) + name,
      Body: '',
      ContentLength: 0,
    };
    await this.#requests.run((abortSignal) => this.#client.putObject(input, { abortSignal }));
  }

  async removeTrashName(name: string): Promise<void> {
    const input = { Bucket: this.#bucket, Key: trashPrefixOf(this.#prefix) + name };
    await unlessMissing(MISSING, (accept) =>
      this.#requests.run((abortSignal) => this.#client.deleteObject(input, { abortSignal }), { accept }),
    );
  }

  /** Throws AppError `unavailable` with a cause for the operator. */
  async checkBucket(): Promise<void> {
    const attempt = async (abortSignal: AbortSignal) => {
      try {
        await this.#client.headBucket({ Bucket: this.#bucket }, { abortSignal });
      } catch (error) {
        throw explainBucketError(error, this.#bucket);
      }
    };
    await this.#requests.run(attempt, { tries: 1 });
  }

  #listing() {
    return { client: this.#client, requests: this.#requests, bucket: this.#bucket, prefix: this.#prefix };
  }

  #locate(storageKey: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + storageKey };
  }

  /** A 200 without an ETag is not an acknowledgment. */
  async #send(
    { open, sizeBytes, signal }: SentBody,
    put: (
      payload: { Body: Readable; ContentLength: number },
      signal: AbortSignal,
    ) => Promise<string | undefined>,
  ): Promise<string> {
    const attempt = async (abortSignal: AbortSignal, onProgress: () => void) => {
      const Body = Readable.from(watch(open(), onProgress), { objectMode: false });
      const broken = new AbortController();
      Body.on('error', (error) => broken.abort(error));
      try {
        const payload = { Body, ContentLength: sizeBytes };
        return expectPresent(await put(payload, AbortSignal.any([abortSignal, broken.signal])), 'ETag');
      } finally {
        Body.destroy();
      }
    };
    return this.#requests.run(attempt, { signal, accept: ['NoSuchUpload'] });
  }
}

async function* watch(pieces: AsyncIterable<Buffer>, onProgress: () => void): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    yield piece;
    onProgress();
  }
}

function expectPresent<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`S3's answer has no ${name}`);
  return value;
}

async function unlessMissing<T>(
  codes: string[],
  ask: (accept: string[]) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await ask(codes);
  } catch (error) {
    if (codes.includes(codeOf(error))) return undefined;
    throw error;
  }
}

/** Responses to HEAD have no body, so the SDK calls these refusals "UnknownError". */
function explainBucketError(error: unknown, bucket: string): unknown {
  const status = statusOf(error);
  if (status === 404) return new Error(`There is no bucket “${bucket}”. Create it, or correct S3_BUCKET.`);
  if (status === 401 || status === 403)
    return new Error(
      `S3 refuses access to the bucket “${bucket}”. Check the keys, and that they may list this bucket.`,
    );
  if (status === 301 || status === 400)
    return new Error(`S3 refuses the bucket “${bucket}”. Check S3_REGION and S3_ENDPOINT.`);
  return error;
}
