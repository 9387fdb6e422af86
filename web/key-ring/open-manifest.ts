import { getOwnManifest } from '../../contracts/transfers/transfers.ts';
import { deriveKeys } from '../../encryption/keys.ts';
import { parseKey } from '../../encryption/link.ts';
import { type Manifest, openManifest } from '../../encryption/manifest.ts';
import { fetchSealed } from '../uploading/encryption/sealed-documents.ts';
import { changeKey, type KeptKey } from './key-ring.ts';

/**
 * The manifest of the user's own transfer. Rejects if the transfer has a password and this browser knows only its key,
 * for instance because it was imported.
 */
export async function openOwnManifest(kept: KeptKey, signal: AbortSignal): Promise<Manifest> {
  const { transferId, key, params } = kept;
  const keys = kept.keys ?? (await deriveKeys({ linkSecret: parseKey(key)!, params }));
  const { sealed, revision } = await fetchSealed(getOwnManifest, transferId, signal);
  const manifest = await openManifest(keys.manifest, sealed, revision);
  const firstFileName = manifest.files[0]?.path.split('/').at(-1) ?? null;
  if (kept.title !== manifest.title || kept.firstFileName !== firstFileName)
    await changeKey(transferId, { title: manifest.title, firstFileName, keys });
  return manifest;
}
