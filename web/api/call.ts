import { NetworkError } from '../../client/api-error.ts';
import { createCaller, type HttpRequest } from '../../client/call.ts';
import { takeEarlyResponse } from './early-responses.ts';

export const { call, callPage } = createCaller(sendByFetch);

async function sendByFetch({ path, signal, ...request }: HttpRequest): Promise<Response> {
  // If it failed, the connection may be back by now.
  const early = await takeEarlyResponse(request.method, path)?.catch(() => undefined);
  signal?.throwIfAborted();
  if (early) return early;
  return await fetch(path, { ...request, signal, credentials: 'same-origin' }).catch((cause: Error) => {
    signal?.throwIfAborted();
    throw new NetworkError(undefined, { cause });
  });
}
