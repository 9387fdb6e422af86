import { NetworkError, readApiError } from '../../../client/api-error.ts';
import { addressOf } from '../../../contracts/endpoint.ts';
import {
  type DownloadView,
  getManifest,
  getPictures,
  listDownloadFiles,
  verifyDownload,
  viewDownload,
} from '../../../contracts/transfers/downloads/downloads.ts';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import type { Bytes } from '../../../encryption/bytes.ts';
import type { TransferKeys } from '../../../encryption/keys.ts';
import { type Manifest, openManifest } from '../../../encryption/manifest.ts';
import { openPictures } from '../../../encryption/pictures.ts';
import { referrerOf } from '../../lib/values/referrer.ts';
import { call, callPage, send } from './calls.ts';
import { joinFiles, type RecipientFiles } from './recipient-files.ts';
import type { ShareLink } from './share-link.ts';

export type { DownloadView };

export type OpenedTransfer = RecipientFiles & {
  view: DownloadView;
  manifest: Manifest;
  revision: number;
};

export function loadView({ token, recipientToken }: ShareLink): Promise<DownloadView> {
  const query = { r: recipientToken, from: referrerOf(document.referrer) };
  return call(viewDownload, { params: { token }, query });
}

/** Shows the server that this page has the key. */
export async function unlock(
  { token, recipientToken }: ShareLink,
  { accessKey }: TransferKeys,
): Promise<void> {
  await call(verifyDownload, { params: { token }, query: { r: recipientToken }, body: { accessKey } });
}

/** `view` must be of an open transfer. */
export async function openTransfer(
  { token }: ShareLink,
  view: DownloadView,
  keys: TransferKeys,
): Promise<OpenedTransfer> {
  const [stored, sealed] = await Promise.all([
    loadFiles(token, view),
    fetchSealed(addressOf(getManifest.path, { token }), 'sendwell-manifest-revision'),
  ]);
  if (!sealed) throw new NetworkError();
  const manifest = await openManifest(keys.manifest, sealed.bytes, sealed.revision);
  return { ...joinFiles(stored, manifest), view, manifest, revision: sealed.revision };
}

/** Addresses of the pictures by file id; none if they cannot be had. */
export async function loadPictures({ token }: ShareLink, keys: TransferKeys): Promise<Map<string, string>> {
  try {
    const sealed = await fetchSealed(addressOf(getPictures.path, { token }), 'sendwell-pictures-revision');
    if (!sealed) return new Map();
    const pictures = await openPictures(keys.pictures, sealed.bytes, sealed.revision);
    return new Map(
      [...pictures].map(([fileId, { mimeType, bytes }]) => [
        fileId,
        URL.createObjectURL(new Blob([bytes], { type: mimeType })),
      ]),
    );
  } catch {
    // Damaged pictures are no reason to withhold the files.
    return new Map();
  }
}

async function loadFiles(token: string, view: DownloadView): Promise<TransferFile[]> {
  const files = [...(view.files ?? [])];
  for (let cursor = view.nextFiles ?? undefined; cursor !== undefined; ) {
    const page = await callPage(listDownloadFiles, { params: { token }, query: { cursor } });
    // One by one: spreading 100,000 files overflows the stack.
    for (const file of page.items) files.push(file);
    cursor = page.nextCursor;
  }
  return files;
}

type Sealed = { bytes: Bytes; revision: number };

/** Undefined if there is none. Throws ApiError or NetworkError. */
async function fetchSealed(path: string, revisionHeader: string): Promise<Sealed | undefined> {
  const response = await send({ method: 'GET', path, headers: {}, body: undefined, signal: undefined });
  if (response.status === 404) return undefined;
  if (!response.ok) throw await readApiError(response);
  const revision = Number(response.headers.get(revisionHeader));
  const bytes = await response.arrayBuffer().catch((cause: Error) => {
    throw new NetworkError(undefined, { cause });
  });
  return { bytes: new Uint8Array(bytes), revision };
}
