import { NetworkError } from '../../client/api-error.ts';
import { createCaller, type HttpRequest } from '../../client/call.ts';

export const { call, callPage } = createCaller(sendByFetch);

async function sendByFetch({ path, signal, ...request }: HttpRequest): Promise<Response> {
  return await fetch(path, { ...request, signal, credentials: 'same-origin' }).catch((cause: Error) => {
    signal?.throwIfAborted();
    throw new NetworkError(undefined, { cause });
  });
}
