import type { Ad, ShownAd } from '../../../contracts/plans/ads.ts';
import type { AdRow, Instant } from '../../platform/db/schema.ts';
import { toIso, toIsoOrNull } from '../../platform/lib/clock.ts';

/** What a browser needs to show an ad. */
export function presentShownAd(row: AdRow): ShownAd {
  const { id, type, title, url, mimeType, videoType, priority } = row;
  // The key itself stays here: whether there is one is what a page needs to know.
  const wasabiKey = row.storageKey === null ? null : id;
  return { id, type, title, url, wasabiKey, mimeType, videoType, duration: row.durationSeconds, priority };
}

/** What an administrator sees of an ad at an instant. */
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
