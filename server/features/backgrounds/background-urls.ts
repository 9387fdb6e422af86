import { showBackground } from '../../../contracts/accounts/backgrounds.ts';
import { tierIncludes } from '../../../contracts/plans/tiers.ts';
import type { Context } from '../../context.ts';
import type { BytesHead } from '../../platform/http/bytes/send-bytes.ts';
import { readMediaKey, signedMediaHead, signMediaKey } from '../../platform/http/security/signed-media.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { findOwner, findOwnerByKey } from './queries.ts';

const PURPOSE = 'background';

/**
 * Returns a signed URL that is valid for at least an hour; null without a background or if the sender's plan does not
 * include it. Replacing the picture revokes the URL.
 */
export async function findBackgroundUrl(
  { db, clock, secret }: Pick<Context, 'db' | 'clock' | 'secret'>,
  userId: string,
): Promise<string | null> {
  const owner = await findOwner(db, userId);
  if (!owner?.backgroundStorageKey || !tierIncludes(owner.tier, 'background')) return null;
  const signature = signMediaKey({ clock, secret, purpose: PURPOSE }, owner.backgroundStorageKey);
  return showBackground.path.replace(':signature', signature);
}

/**
 * Throws AppError `link_void` if the signature is forged or expired, the picture was replaced or removed, or the
 * owner's plan no longer includes it.
 */
export async function openBackground(
  { db, blobs, clock, secret }: Pick<Context, 'db' | 'blobs' | 'clock' | 'secret'>,
  signature: string,
  size: 'large' | 'small',
): Promise<{ source: ByteSource; head: BytesHead }> {
  const storageKey = readMediaKey({ clock, secret, purpose: PURPOSE }, signature);
  const owner = storageKey === undefined ? undefined : await findOwnerByKey(db, storageKey);
  if (!owner || !tierIncludes(owner.tier, 'background')) throw new AppError('link_void');
  const largeBytes = owner.backgroundSizeBytes!;
  const slice =
    size === 'large'
      ? { offset: 0, sizeBytes: largeBytes }
      : { offset: largeBytes, sizeBytes: owner.backgroundSmallSizeBytes! };
  return {
    source: blobSource(blobs, { storageKey: storageKey!, ...slice }),
    head: signedMediaHead({
      etag: `"${storageKey}-${size}"`,
      contentType: 'image/webp',
      fileName: 'background.webp',
    }),
  };
}
