import { z } from 'zod';
import { Id, Instant } from './common.ts';
import { defineEndpoint } from './endpoint.ts';

/** Days of history by plan: the daily totals themselves are kept for two years. */
export const ANALYTICS_DAYS = { pro: 90, premium: 730 } as const;

/** How many days are told unless asked for. */
export const ANALYTICS_DEFAULT_DAYS = 30;

export const AnalyticsQuery = z.object({
  /** How many days up to today (UTC) are told, 30 unless given; more than the plan keeps is cut to that. */
  days: z.coerce.number().int().min(1).max(ANALYTICS_DAYS.premium).optional(),
});

export const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type Device = (typeof DEVICES)[number];

const Count = z.object({ views: z.int(), downloads: z.int() });

export const Analytics = z.object({
  /** Days in UTC, `YYYY-MM-DD`, both included. */
  from: z.string(),
  to: z.string(),
  /** The longest history the caller's plan tells, in days. */
  longestDays: z.int(),
  totals: Count.extend({
    /** Downloads of which all bytes were sent. */
    completed: z.int(),
    /** completed / downloads, 0 to 1; null without downloads. */
    completionRate: z.number().nullable(),
  }),
  /** Every day of the range, the oldest first, also those on which nothing happened. */
  days: z.array(Count.extend({ date: z.string() })),
  /** ISO 3166-1 alpha-2, `ZZ` where the address is of no country; the most first. */
  countries: z.array(Count.extend({ country: z.string() })),
  /**
   * Origin and path of the page that led here; '' for none, 'other' for those of a day that had more than 100.
   * At most 50, the most views first.
   */
  referers: z.array(z.object({ referer: z.string(), views: z.int() })),
  /** Always all four. */
  devices: z.array(Count.extend({ device: z.enum(DEVICES) })),
});
export type Analytics = z.infer<typeof Analytics>;

export const TransferAnalytics = Analytics.extend({
  /**
   * In the transfer's order; what was downloaded as a zip counts for each file in it. Of more than 1,000 files: the
   * first 1,000 and those that were downloaded most.
   */
  files: z.array(z.object({ id: z.string(), name: z.string(), downloads: z.int() })),
});
export type TransferAnalytics = z.infer<typeof TransferAnalytics>;

export const OverallAnalytics = Analytics.extend({
  /** The 20 transfers with the most downloads in the range; deleted ones are in the sums only. */
  transfers: z.array(Count.extend({ id: z.string(), title: z.string().nullable(), createdAt: Instant })),
});
export type OverallAnalytics = z.infer<typeof OverallAnalytics>;

const TransferParams = z.object({ id: Id });

export const getTransferAnalytics = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/analytics',
  access: 'signed-in',
  summary: 'Views and downloads of one transfer by day, file, country, referer and device; pro and premium',
  params: TransferParams,
  query: AnalyticsQuery,
  response: TransferAnalytics,
});

export const getAnalytics = defineEndpoint({
  method: 'GET',
  path: '/api/analytics',
  access: 'signed-in',
  summary: "The same over all of the caller's transfers; pro and premium",
  query: AnalyticsQuery,
  response: OverallAnalytics,
});

export const exportTransferAnalytics = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/analytics.csv',
  access: 'signed-in',
  summary: 'The daily numbers of one transfer as CSV; pro and premium',
  params: TransferParams,
  query: AnalyticsQuery,
  response: 'stream',
});

export const exportAnalytics = defineEndpoint({
  method: 'GET',
  path: '/api/analytics.csv',
  access: 'signed-in',
  summary: "The daily numbers over all of the caller's transfers as CSV; pro and premium",
  query: AnalyticsQuery,
  response: 'stream',
});
