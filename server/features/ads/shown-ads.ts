import { type Ad, type ShownAd, showAdFile } from '../../../contracts/plans/ads.ts';
import { MINUTE_MS } from '../../../contracts/values/durations.ts';
import type { Context } from '../../context.ts';
import type { Instant } from '../../platform/db/schema/column-types.ts';
import type { AdRow, UserRow } from '../../platform/db/schema.ts';
import type { BytesHead } from '../../platform/http/bytes/send-bytes.ts';
import { claimWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import { readMediaKey, signedMediaHead, signMediaKey } from '../../platform/http/security/signed-media.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { type ByteSource, blobSource } from '../../platform/lib/byte-source.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';
import {
  countAdEvent,
  findAd,
  findAdByKey,
  findRunningAd,
  hasSentTransfer,
  listRunningAds,
} from './queries.ts';

const PURPOSE = 'ad';

type Viewer = Pick<UserRow, 'id' | 'tier'>;

/** None before the first transfer, so that nothing competes with sending it. */
export async function listAdsFor(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, tier }: Viewer,
): Promise<AdRow[]> {
  return tier === 'free' && (await hasSentTransfer(db, id)) ? listRunningAds(db, clock.now()) : [];
}

async function findAdFor(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { tier }: Pick<Viewer, 'tier'>,
  id: string,
): Promise<AdRow | undefined> {
  return tier === 'free' ? findRunningAd(db, id, clock.now()) : undefined;
}

/**
 * Counts at most one view and one click per user, ad and minute. Throws AppError `ad_not_found` for an ad that this
 * user isn't shown.
 */
export async function recordAdEvent(
  context: Pick<Context, 'db' | 'clock' | 'config'>,
  user: Viewer,
  { id, event }: { id: string; event: 'view' | 'click' },
): Promise<void> {
  if (!(await findAdFor(context, user, id))) throw new AppError('ad_not_found');
  const refusal = await claimWithinLimit(context, {
    key: `ad-${event}:${id}:${user.id}`,
    limit: 1,
    windowMs: MINUTE_MS,
  });
  if (!refusal) await countAdEvent(context.db, id, event === 'view' ? 'views' : 'clicks');
}

/**
 * Returns a signed URL that is valid for at least an hour. Administrators get it for any ad, others only for ads they
 * are shown. Replacing the file revokes it. Throws AppError `ad_not_found`, also for an ad without a file.
 */
export async function getAdFileUrl(
  context: Pick<Context, 'db' | 'clock' | 'secret'>,
  user: Pick<UserRow, 'tier' | 'isAdmin'>,
  id: string,
): Promise<string> {
  const { db, clock, secret } = context;
  const ad = await (user.isAdmin === 1 ? findAd(db, id) : findAdFor(context, user, id));
  if (!ad?.storageKey) throw new AppError('ad_not_found');
  const signature = signMediaKey({ clock, secret, purpose: PURPOSE }, ad.storageKey);
  return showAdFile.path.replace(':signature', signature);
}

/** Throws AppError `link_void` if the URL is forged or expired, or the file is gone. */
export async function openAdFile(
  { db, blobs, clock, secret }: Pick<Context, 'db' | 'blobs' | 'clock' | 'secret'>,
  signature: string,
): Promise<{ source: ByteSource; head: BytesHead }> {
  const storageKey = readMediaKey({ clock, secret, purpose: PURPOSE }, signature);
  const ad = storageKey === undefined ? undefined : await findAdByKey(db, storageKey);
  if (!ad) throw new AppError('link_void');
  return {
    source: blobSource(blobs, { storageKey: storageKey!, offset: 0, sizeBytes: ad.sizeBytes! }),
    head: signedMediaHead({
      etag: `"${storageKey}"`,
      contentType: ad.mimeType!,
      fileName: `ad.${ad.mimeType!.split('/')[1]}`,
    }),
  };
}

export function presentShownAd(row: AdRow): ShownAd {
  const { id, type, title, url, mimeType, videoType, priority } = row;
  // Pages only need to know whether there is a file, so the storage key stays private.
  const wasabiKey = row.storageKey === null ? null : id;
  return { id, type, title, url, wasabiKey, mimeType, videoType, duration: row.durationSeconds, priority };
}

export function presentAd(row: AdRow, now: Instant): Ad {
  const { startDate, endDate } = row;
  const isActive = row.isActive === 1;
  return {
    ...presentShownAd(row),
    linkUrl: row.url,
    filename: row.filename,
    size: row.sizeBytes,
    startDate: toIsoOrNull(startDate),
    endDate: toIsoOrNull(endDate),
    isActive,
    isShowing: isActive && (startDate ?? now) <= now && (endDate === null || endDate > now),
    createdAt: toIso(row.createdAt),
    views: row.views,
    clicks: row.clicks,
  };
}
