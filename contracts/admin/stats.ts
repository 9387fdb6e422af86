import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';

export const AdminStats = z.object({
  totalUsers: z.int(),
  activeTransfers: z.int().describe('Transfers that are ready and have not expired.'),
  totalStorage: z.int().describe('Bytes of the files of all transfers.'),
  transfersToday: z.int().describe('Transfers that became ready since midnight UTC.'),
  proUsers: z.int(),
  premiumUsers: z.int(),
  monthlyRevenue: z.int().describe('Cents per month from active subscriptions, after discounts.'),
});
export type AdminStats = z.infer<typeof AdminStats>;

export const getAdminStats = defineEndpoint({
  method: 'GET',
  path: '/api/admin/stats',
  access: 'admin',
  summary: 'The seven numbers of the dashboard',
  response: AdminStats,
});

export const AdminTrends = z.array(
  z.object({
    date: z.string(),
    newUsers: z.int(),
    newTransfers: z.int(),
    uploadedBytes: z.int().describe('Bytes of the transfers that became ready on this day.'),
    downloads: z.int(),
  }),
);
export type AdminTrends = z.infer<typeof AdminTrends>;

export const getAdminTrends = defineEndpoint({
  method: 'GET',
  path: '/api/admin/trends',
  access: 'admin',
  summary: 'Daily totals of the last 30 days',
  description: 'Days are in UTC, oldest first.',
  response: AdminTrends,
});
