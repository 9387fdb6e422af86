import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

export const AdminStats = z.object({
  totalUsers: z.int(),
  /** Ready and not expired. */
  activeTransfers: z.int(),
  /** Bytes of the files of all transfers. */
  totalStorage: z.int(),
  /** Made ready since midnight, UTC. */
  transfersToday: z.int(),
  proUsers: z.int(),
  premiumUsers: z.int(),
  /** Cents a month from active subscriptions, after discounts. */
  monthlyRevenue: z.int(),
});
export type AdminStats = z.infer<typeof AdminStats>;

export const getAdminStats = defineEndpoint({
  method: 'GET',
  path: '/api/admin/stats',
  access: 'admin',
  summary: 'The seven numbers of the dashboard',
  response: AdminStats,
});

/** The last 30 days in UTC, the oldest first. */
export const AdminTrends = z.array(
  z.object({
    date: z.string(),
    newUsers: z.int(),
    newTransfers: z.int(),
    /** Of the transfers that became ready. */
    uploadedBytes: z.int(),
    downloads: z.int(),
  }),
);
export type AdminTrends = z.infer<typeof AdminTrends>;

export const getAdminTrends = defineEndpoint({
  method: 'GET',
  path: '/api/admin/trends',
  access: 'admin',
  summary: 'How the last 30 days went',
  response: AdminTrends,
});
