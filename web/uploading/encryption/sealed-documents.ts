import { NetworkError, readApiError } from '../../../client/api-error.ts';
import { addressOf } from '../../../contracts/endpoint.ts';
import { getOwnManifest, type getOwnPictures } from '../../../contracts/transfers/transfers.ts';
import type { putManifest, putPictures } from '../../../contracts/transfers/uploads/uploads.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Upload = {
  transferId: string;
  revision: number;
  sealed: Bytes;
  signal: AbortSignal;
  /** Of visitors. */
  invitationToken?: string | undefined;
};

/** Throws ApiError, `manifest_outdated` among them, NetworkError, or the signal's reason. */
export async function sendSealed(
  endpoint: typeof putManifest | typeof putPictures,
  { transferId, revision, sealed, signal, invitationToken }: Upload,
): Promise<void> {
  const query = { revision: String(revision), invitationToken };
  const response = await sendRequest(addressOf(endpoint.path, { transferId }, query), {
    method: endpoint.method,
    headers: { accept: 'application/json', 'content-type': 'application/octet-stream' },
    body: sealed,
    signal,
  });
  await response.body?.cancel();
}

export type SealedDocument = { sealed: Bytes; revision: number };

/** The sealed manifest or pictures of the user's own transfer. Throws ApiError or NetworkError. */
export async function fetchSealed(
  endpoint: typeof getOwnManifest | typeof getOwnPictures,
  transferId: string,
  signal?: AbortSignal,
): Promise<SealedDocument> {
  const response = await sendRequest(addressOf(endpoint.path, { id: transferId }), signal ? { signal } : {});
  const sealed = await response.arrayBuffer().catch((cause: Error) => {
    signal?.throwIfAborted();
    throw new NetworkError(undefined, { cause });
  });
  const name = endpoint === getOwnManifest ? 'sendwell-manifest-revision' : 'sendwell-pictures-revision';
  return {
    sealed: new Uint8Array(sealed),
    revision: Number(response.headers.get(name)),
  };
}

/** Resolves with a successful response. Throws ApiError, NetworkError, or the signal's reason. */
export async function sendRequest(path: string, options: RequestInit): Promise<Response> {
  const response = await fetch(path, { ...options, credentials: 'same-origin' }).catch((cause: Error) => {
    options.signal?.throwIfAborted();
    throw new NetworkError(undefined, { cause });
  });
  if (!response.ok) throw await readApiError(response);
  return response;
}
