import { ApiError } from '../../client/api-error.ts';
import { addressOf } from '../../contracts/endpoint.ts';
import { TransferSettings } from '../../contracts/transfers/transfers.ts';
import { putManifest } from '../../contracts/transfers/uploads/uploads.ts';
import { normalisePath } from '../../contracts/values/names/file-names.ts';
import type { SegmentKey } from '../../encryption/keys.ts';
import { type Manifest, sealManifest } from '../../encryption/manifest.ts';
import { readText } from '../http/connection.ts';
import { mimeTypeOf } from './collect-files.ts';
import type { SendContext } from './context.ts';
import type { UnfinishedSend } from './journal.ts';

const MAX_RESPONSE_BYTES = 64 * 1024;
/** Revisions that may have arrived without this command learning of it. */
const MAX_UNKNOWN_REVISIONS = 100;

/** Sends the manifest unless the server has it. The sums of all files must be known. Throws ApiError, NetworkError. */
export async function putCurrentManifest(context: SendContext, key: SegmentKey): Promise<void> {
  if (context.journal.state.manifestState !== 'current')
    await putNextManifest(context, key, { hasSums: true });
}

/**
 * Sends a manifest for recipients who receive the files while they are being sent, unless the server has one. It has only
 * the sums that are known. Throws ApiError, NetworkError.
 */
export async function putEarlyManifest(context: SendContext, key: SegmentKey): Promise<void> {
  if (context.journal.state.manifestState === 'outdated')
    await putNextManifest(context, key, { hasSums: false });
}

async function putNextManifest(
  context: SendContext,
  key: SegmentKey,
  { hasSums }: { hasSums: boolean },
): Promise<void> {
  const { journal } = context;
  const { state } = journal;
  const first = state.manifestRevision + 1;
  for (let revision = first; ; revision += 1) {
    const sealed = await sealManifest(key, toManifest(state), revision);
    try {
      await put(context, Buffer.from(sealed), revision);
      return await journal.recordManifest(revision, { hasSums });
    } catch (error) {
      // The answer to an earlier run was lost. This transfer is not ready, so only this command writes its manifest.
      const isStored = error instanceof ApiError && error.code === 'manifest_outdated';
      if (!isStored || revision - first === MAX_UNKNOWN_REVISIONS) throw error;
    }
  }
}

async function put({ journal, api, retries, signal }: SendContext, body: Buffer, revision: number) {
  const transferId = journal.state.transferId!;
  const path = addressOf(putManifest.path, { transferId }, { revision });
  const headers = { 'content-type': 'application/octet-stream' };
  await retries.run(async () => {
    const response = await api.send({ method: putManifest.method, path, headers, body, signal });
    await readText(response, MAX_RESPONSE_BYTES);
  }, signal);
}

function toManifest({ settings, files, sums }: UnfinishedSend): Manifest {
  const { title, message } = TransferSettings.parse(settings);
  return {
    version: 1,
    title: title || null,
    message: message || null,
    files: files.map(({ fileId, relativePath, size, mtimeMs, isExecutable }, index) => ({
      fileId: fileId!,
      path: normalisePath(relativePath)!,
      size,
      modifiedAt: Math.floor(mtimeMs),
      ...(isExecutable && { isExecutable }),
      mimeType: mimeTypeOf(relativePath),
      crc32: sums[index]?.crc32 ?? null,
      sha256: sums[index]?.sha256 ?? null,
    })),
  };
}
