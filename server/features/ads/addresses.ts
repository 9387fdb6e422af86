import { showAdFile } from '../../../contracts/plans/ads.ts';
import type { Context } from '../../context.ts';
import type { UserRow } from '../../platform/db/schema.ts';
import type { BytesHead } from '../../platform/http/send-bytes.ts';
import { readSignedValue, type Signing, signValue } from '../../platform/http/signed-value.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/lib/clock.ts';
import { findAd, findAdByKey } from './queries.ts';
import { findAdFor } from './showing.ts';

/** Addresses made within the same half hour are one, so that browsers can keep what they lead to. */
const ROUND_MS = 30 * MINUTE_MS;
/** As long as an address is good at least. */
const KEPT_SECONDS = HOUR_MS / SECOND_MS;

/**
 * The address of an ad's file, good for at least an hour and at most an hour and a half. Administrators get that of
 * any ad, for its preview; others that of one they are shown. The file's key is signed into it: a replaced file
 * makes it void. Throws AppError `ad_not_found`, also when the ad has no file.
 */
export async function getAdFileAddress(
  context: Pick<Context, 'db' | 'clock' | 'secret'>,
  user: Pick<UserRow, 'tier' | 'isAdmin'>,
  id: string,
): Promise<string> {
  const { db, clock, secret } = context;
  const ad = await (user.isAdmin === 1 ? findAd(db, id) : findAdFor(context, user, id));
  if (!ad?.storageKey) throw new AppError('ad_not_found');
  const expiresAt = Math.ceil(clock.now() / ROUND_MS) * ROUND_MS + HOUR_MS;
  return showAdFile.path.replace(':signature', signValue(signing(secret), ad.storageKey, expiresAt));
}

/** What such an address leads to. Throws AppError `link_void` when it is forged or too old, or the file is gone. */
export async function openAdFile(
  { db, blobs, clock, secret }: Pick<Context, 'db' | 'blobs' | 'clock' | 'secret'>,
  signature: string,
): Promise<{ source: ByteSource; head: BytesHead }> {
  const storageKey = readSignedValue(signing(secret), signature, clock.now());
  const ad = storageKey === undefined ? undefined : await findAdByKey(db, storageKey);
  if (!ad) throw new AppError('link_void');
  return {
    source: blobSource(blobs, { storageKey: storageKey!, offset: 0, sizeBytes: ad.sizeBytes! }),
    head: {
      etag: `"${storageKey}"`,
      // An address shows the same bytes for ever; when they came is nobody's concern.
      lastModifiedAt: 0,
      contentType: ad.mimeType!,
      fileName: `ad.${ad.mimeType!.split('/')[1]}`,
      disposition: 'inline',
      cacheControl: `private, max-age=${KEPT_SECONDS}`,
    },
  };
}

function signing(secret: string): Signing {
  return { secret, purpose: 'ad' };
}
