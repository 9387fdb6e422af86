import { ApiError, NetworkError } from '../../../client/api-error.ts';
import { createCaller, type HttpRequest } from '../../../client/call.ts';
import { languageHeaders } from '../../lib/language/language.ts';

/** The contract's calls by fetch. They throw ApiError or NetworkError. */
export const { call, callPage } = createCaller(send);

export async function send({ path, signal, ...request }: HttpRequest): Promise<Response> {
  const headers = { ...request.headers, ...languageHeaders() };
  return await fetch(path, {
    ...request,
    headers,
    signal: signal ?? null,
    body: request.body ?? null,
    credentials: 'same-origin',
    referrerPolicy: 'no-referrer',
  }).catch((cause: Error) => {
    throw new NetworkError(undefined, { cause });
  });
}

/** Whether the server may answer when it is asked again. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof ApiError && error.status >= 429);
}
