import type { z } from 'zod';
import { NetworkError, readApiError } from '../../../client/api-error.ts';
import { addressOf, type Endpoint } from '../../../contracts/endpoint.ts';
import { languageHeaders } from '../../lib/language/language.ts';

type Options = {
  params?: Record<string, string>;
  signal: AbortSignal;
  onProgress(sentShare: number): void;
};

/**
 * Sends a form with a file to a contract's call; XMLHttpRequest because fetch reports no upload progress.
 * Throws as `call` does: ApiError, NetworkError, the signal's reason.
 */
export function sendForm<R extends z.ZodType>(
  { method, path }: Endpoint<z.ZodType, z.ZodUndefined, 'stream', R>,
  form: FormData,
  { params, signal, onProgress }: Options,
): Promise<z.output<R>> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener('abort', abort, { once: true });
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onloadend = () => {
      signal.removeEventListener('abort', abort);
      const { status, statusText, responseText } = request;
      if (signal.aborted) return reject(signal.reason);
      if (status === 0) return reject(new NetworkError());
      if (status >= 200 && status < 300) return resolve(JSON.parse(responseText) as z.output<R>);
      const headers = { 'content-type': request.getResponseHeader('content-type') ?? '' };
      void readApiError(new Response(responseText, { status, statusText, headers })).then(reject);
    };
    request.open(method, addressOf(path, params));
    const headers = { accept: 'application/json', ...languageHeaders() };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (signal.aborted) reject(signal.reason);
    else request.send(form);
  });
}
