import type { Generated } from 'kysely';
import type { Flag, Instant } from './column-types.ts';

/** downloads; notices (noticedAt); analytics (country, countedAt, countedCompletedAt) */
export interface DownloadsTable {
  id: string;
  transferId: string;
  /** null for a zip. */
  fileId: string | null;
  /** The files in the zip (`contracts/transfers/downloads/selection.ts`); null for all files. */
  selection: string | null;
  /**
   * For a zip of all files: the transfer's `zipCount` including this download. Files with a higher `zipBase`
   * are newer.
   */
  zipNumber: number | null;
  downloadedAt: Instant;
  ipAddress: string | null;
  userAgent: string | null;
  completedAt: Instant | null;
  /** Null for downloads from before this column existed. */
  sizeBytes: number | null;
  /** Saved from time to time. */
  reachedBytes: Generated<number>;
  /** 1 while so little was delivered that the download may be refunded. */
  isReturnable: Generated<Flag>;
  /** To the minute; null once the download is complete or abandoned. */
  activeAt: Instant | null;
  /** Not a foreign key: it stays when the sender removes the recipient. */
  recipientId: string | null;
  /** When the owner was notified, or the notice was skipped. */
  noticedAt: Instant | null;
  country: string | null;
  countedAt: Instant | null;
  /** The `completedAt` that the totals include. A download may complete after it was counted. */
  countedCompletedAt: Instant | null;
}

/** downloads: refunds per transfer and claimant. */
export interface PlaceReturnsTable {
  transferId: string;
  /** Keyed hash of the recipient or of the network address. */
  claimantKey: string;
  count: number;
}

/** analytics (notices: noticedAt) */
export interface TransferViewsTable {
  /** Derived from transfer, visitor and half hour, so that repeated views are one row. */
  id: string;
  transferId: string;
  viewedAt: Instant;
  ipAddress: string | null;
  userAgent: string | null;
  country: string | null;
  city: string | null;
  referer: string | null;
  noticedAt: Instant | null;
  countedAt: Instant | null;
}

/**
 * analytics: the events of one UTC day (`YYYY-MM-DD`). A completed download counts on the day it started.
 * `dimension` and `value`: 'all' and ''; 'country' and its code ('ZZ' if unknown); 'referer' and its address
 * ('' for none); 'device' and its kind; 'file' and the file's id, `#` and the position for a selection that
 * contains it, '' for a zip of all files. All but 'all' also exist per month: 'country-month' and so on, with
 * `YYYY-MM` as the day.
 */
export interface TransferTotalsTable {
  transferId: string;
  day: string;
  dimension: string;
  value: string;
  views: Generated<number>;
  downloads: Generated<number>;
  completed: Generated<number>;
}

/**
 * analytics: the same over all transfers of a user, including deleted ones, with 'transfer' instead of
 * 'file'.
 */
export interface UserTotalsTable {
  userId: string;
  day: string;
  dimension: string;
  value: string;
  views: Generated<number>;
  downloads: Generated<number>;
  completed: Generated<number>;
}

/** downloads; admin (settledAt) */
export interface AbuseReportsTable {
  id: string;
  transferId: string;
  reason: string;
  details: string | null;
  reporterEmail: string | null;
  ipAddress: string | null;
  createdAt: Instant;
  settledAt: Instant | null;
}
