import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { EncryptionVersion, FirstFileName } from './transfers/transfers.ts';
import { Id, Instant } from './values/fields.ts';

/** Days that reports can cover. Daily totals are kept for two years. */
export const ANALYTICS_DAYS = { pro: 90, premium: 730 } as const;

export const ANALYTICS_DEFAULT_DAYS = 30;

export const AnalyticsQuery = z.object({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(ANALYTICS_DAYS.premium)
    .optional()
    .describe('Number of days up to today (UTC), 30 by default. Limited to the days that the plan keeps.'),
});

export const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type Device = (typeof DEVICES)[number];

const Count = z.object({ views: z.int(), downloads: z.int() });

export const Analytics = z.object({
  from: z.string().describe('First day in UTC (`YYYY-MM-DD`), included.'),
  to: z.string().describe('Last day in UTC, included.'),
  longestDays: z.int().describe('The longest history that the caller’s plan includes, in days.'),
  totals: Count.extend({
    completed: z.int().describe('Downloads whose bytes were all sent.'),
    completionRate: z
      .number()
      .nullable()
      .describe('`completed` divided by `downloads`, from 0 to 1. Null without downloads.'),
  }),
  days: z
    .array(Count.extend({ date: z.string() }))
    .describe('Every day of the range, oldest first, including days without activity.'),
  countries: z
    .array(Count.extend({ country: z.string() }))
    .describe('ISO 3166-1 alpha-2 codes, most active first. `ZZ` stands for an unknown country.'),
  referers: z
    .array(z.object({ referer: z.string(), views: z.int() }))
    .describe(
      'Origin and path of the page that linked here. Empty if there was none; `other` combines the rest of a day with more than 100 of them. At most 50, most views first.',
    ),
  devices: z.array(Count.extend({ device: z.enum(DEVICES) })).describe('Always lists all four kinds.'),
});
export type Analytics = z.infer<typeof Analytics>;

export const TransferAnalytics = Analytics.extend({
  files: z
    .array(z.object({ id: z.string(), name: z.string(), downloads: z.int() }))
    .describe(
      'In the transfer’s order. A zip counts as a download of each file in it. A transfer with more than 1,000 files lists the first 1,000 and those with the most downloads.',
    ),
});
export type TransferAnalytics = z.infer<typeof TransferAnalytics>;

export const OverallAnalytics = Analytics.extend({
  transfers: z
    .array(
      Count.extend({
        id: z.string(),
        title: z.string().nullable(),
        firstFileName: FirstFileName,
        encryption: EncryptionVersion,
        fileCount: z.int(),
        createdAt: Instant,
      }),
    )
    .describe(
      'The 20 transfers with the most downloads in the range. Deleted transfers count in the totals only.',
    ),
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
