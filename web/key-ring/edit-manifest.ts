import { ApiError } from '../../client/api-error.ts';
import { getOwnManifest } from '../../contracts/transfers/transfers.ts';
import { putManifest } from '../../contracts/transfers/uploads/uploads.ts';
import { deriveKeys } from '../../encryption/keys.ts';
import { parseKey } from '../../encryption/link.ts';
import { type Manifest, openManifest, sealManifest } from '../../encryption/manifest.ts';
import { fetchSealed, sendSealed } from '../uploading/encryption/sealed-documents.ts';
import { changeKey, type KeptKey } from './key-ring.ts';

const MAX_TRIES = 5;

/**
 * Stores the next revision of the manifest with another title or message. Another window may store one at the same
 * time: the server takes only the next revision, so the change is made again on top of that one. Throws ApiError or
 * NetworkError.
 */
export async function editOwnManifest(
  { transferId, key, params, ...kept }: KeptKey,
  change: Partial<Pick<Manifest, 'title' | 'message'>>,
): Promise<void> {
  const keys = kept.keys ?? (await deriveKeys({ linkSecret: parseKey(key)!, params }));
  const { signal } = new AbortController();
  for (let tries = 1; ; tries += 1) {
    const stored = await fetchSealed(getOwnManifest, transferId);
    const manifest = { ...(await openManifest(keys.manifest, stored.sealed, stored.revision)), ...change };
    const revision = stored.revision + 1;
    const sealed = await sealManifest(keys.manifest, manifest, revision);
    try {
      await sendSealed(putManifest, { transferId, revision, sealed, signal });
      return await changeKey(transferId, { revision, title: manifest.title });
    } catch (error) {
      const isOutdated = error instanceof ApiError && error.code === 'manifest_outdated';
      if (!isOutdated || tries === MAX_TRIES) throw error;
    }
  }
}
