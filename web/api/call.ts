import { ApiError, NetworkError } from '../../client/api-error.ts';
import { type Caller, createCaller, type HttpRequest } from '../../client/call.ts';
import { languageHeaders } from '../lib/language/language.ts';
import { translateSentence } from '../lib/language/sentences.ts';
import { takeEarlyResponse } from './early-responses.ts';
import { confirmIdentity } from './session/step-up.ts';

NetworkError.sentence = translateSentence(NetworkError.sentence);

const caller = createCaller(sendByFetch);

export const { callPage } = caller;

/** If the server wants to know again who is signed in, a dialog asks, and the call is repeated. */
export const call = (async (...args: Parameters<Caller['call']>) => {
  try {
    return await caller.call(...args);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'step_up_required')) throw error;
    await confirmIdentity();
    return await caller.call(...args);
  }
}) as Caller['call'];

async function sendByFetch({ path, signal, ...request }: HttpRequest): Promise<Response> {
  // If it failed, the connection may be back by now.
  const early = await takeEarlyResponse(request.method, path)?.catch(() => undefined);
  signal?.throwIfAborted();
  if (early) return early;
  const headers = { ...request.headers, ...languageHeaders() };
  return await fetch(path, { ...request, headers, signal, credentials: 'same-origin' }).catch(
    (cause: Error) => {
      signal?.throwIfAborted();
      throw new NetworkError(undefined, { cause });
    },
  );
}
