import { ApiError, NetworkError } from '../../client/api-error.ts';
import type { SendOptions } from '../../client/chunk-sender.ts';
import { chunkRequest } from '../../client/upload-plan.ts';
import type { ReadChunk } from './chunk-reader.ts';

/** A line this silent is given up and tried anew. */
const STALL_MS = 60_000;

export type ChunkAddress = { uploadId: string; index: number; invitationToken: string | undefined };

/** Sends one chunk. Resolves when the server has stored it. Throws ApiError, NetworkError, or the signal's reason. */
export function sendChunk(to: ChunkAddress, { bytes, crc }: ReadChunk, options: SendOptions): Promise<void> {
  const { path, ...request } = chunkRequest({ ...to, crc32: crc });
  return sendBytes({ ...request, url: path, bytes }, options);
}

type Sending = { method: string; url: string; headers: Record<string, string>; bytes: Blob };

/**
 * XMLHttpRequest because fetch does not tell how much has left. Throws ApiError, NetworkError, or the signal's
 * reason.
 */
export function sendBytes(
  { method, url, headers, bytes }: Sending,
  { signal, onProgress }: SendOptions,
): Promise<void> {
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
      if (signal.aborted) reject(signal.reason);
      else if (request.status === 0) reject(new NetworkError());
      else if (request.status >= 200 && request.status < 300) resolve();
      else reject(readRefusal(request));
    };
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (signal.aborted) reject(signal.reason);
    else request.send(bytes);
  });
}

function readRefusal(request: XMLHttpRequest): ApiError {
  // A bucket's answers show few of their headers, and asking for the others would be a complaint in the console.
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
