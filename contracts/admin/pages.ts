import { z } from 'zod';

export const ADMIN_PAGE_DEFAULT = 50;
export const ADMIN_PAGE_MAX = 200;

export const AdminPage = z.object({
  limit: z.coerce.number().int().min(1).max(ADMIN_PAGE_MAX).optional(),
  cursor: z.string().max(1_000).optional().describe('Taken from the link to the next page.'),
});
