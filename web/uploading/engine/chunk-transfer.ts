import { ApiError, NetworkError } from '../../../client/api-error.ts';
import type { SendOptions, Stored } from '../../../client/chunk-sender.ts';
import { chunkRequest } from '../../../client/upload-plan.ts';
import { confirmChunks, signChunks } from '../../../contracts/transfers/uploads/uploads.ts';
import { call } from '../../api/call.ts';
import type { ReadChunk } from './read-chunk.ts';
import { noteReleasedBlob } from './released-blobs.ts';

/** Abort a request without progress for this long. */
const STALL_MS = 60_000;

type ChunkAddress = { uploadId: string; index: number; invitationToken: string | undefined };

/** Sends one chunk. Resolves when the server has stored it. Throws ApiError, NetworkError, or the signal's reason. */
export async function sendChunk(
  to: ChunkAddress,
  { bytes, crc }: ReadChunk,
  options: SendOptions,
): Promise<Stored> {
  const { path, ...request } = chunkRequest({ ...to, crc32: crc });
  const answer = await sendBytes({ ...request, url: path, bytes }, options);
  return { wanted: (JSON.parse(answer) as { wanted?: number }).wanted };
}

type Sending = { method: string; url: string; headers: Record<string, string>; bytes: Blob };

/** Returns the body of the answer. Uses XMLHttpRequest because fetch has no upload progress. Throws ApiError, NetworkError, or the signal's reason. */
function sendBytes(
  { method, url, headers, bytes }: Sending,
  { signal, onProgress }: SendOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let lastSign = performance.now();
    const watch = setInterval(() => {
      if (performance.now() - lastSign > STALL_MS) request.abort();
    }, STALL_MS / 4);
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });

    request.upload.onprogress = ({ loaded }) => {
      lastSign = performance.now();
      onProgress(loaded);
    };
    request.onloadend = () => {
      clearInterval(watch);
      signal.removeEventListener('abort', abort);
      noteReleasedBlob();
      if (signal.aborted) reject(signal.reason);
      else if (request.status === 0) reject(new NetworkError());
      else if (request.status >= 200 && request.status < 300) resolve(request.responseText);
      else reject(readRefusal(request));
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (signal.aborted) reject(signal.reason);
    else request.send(bytes);
  });
}

function readRefusal(request: XMLHttpRequest): ApiError {
  // Buckets expose few headers, and reading another one logs a console error.
  const isShown = /^retry-after:/im.test(request.getAllResponseHeaders());
  const retryAfter = isShown ? Number(request.getResponseHeader('retry-after')) : Number.NaN;
  const seconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  try {
    const problem = JSON.parse(request.responseText) as { detail: string };
    return new ApiError(request.status, problem.detail, problem, seconds);
  } catch {
    return new ApiError(request.status, request.responseText || request.statusText, {}, seconds);
  }
}

/** After this many failures in a row, chunks go through the server. */
const MAX_FAILURES = 3;

/** Sends chunks directly to the bucket, as long as that works. */
export class BucketSender {
  #failures = 0;

  /**
   * Returns true if the bucket stored the chunk and the server confirmed it, false if it must go through the server.
   * Throws ApiError or NetworkError of the server's calls, or the signal's reason.
   */
  async send(
    { uploadId, index, invitationToken }: ChunkAddress,
    { bytes, crc }: ReadChunk,
    options: SendOptions,
  ): Promise<boolean> {
    if (this.#failures >= MAX_FAILURES) return false;
    const { signal } = options;
    const to = { params: { uploadId }, query: { invitationToken }, signal };
    const { parts } = await call(signChunks, { ...to, body: { parts: [{ index, crc32: crc }] } });
    const [signed] = parts;
    if (!signed) return false;
    const { url, headers } = signed;
    // Ignore the bucket's errors: the server accepts the chunk or says what is wrong.
    const isSent = await sendBytes({ method: 'PUT', url, headers, bytes }, options).then(
      () => true,
      () => false,
    );
    signal.throwIfAborted();
    const { chunks } = isSent
      ? await call(confirmChunks, { ...to, body: { indexes: [index] } })
      : { chunks: [] };
    this.#failures = chunks.length > 0 ? 0 : this.#failures + 1;
    return chunks.length > 0;
  }
}
