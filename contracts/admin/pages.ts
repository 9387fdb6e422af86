import { z } from 'zod';

/** Rows per page when the caller sets no limit. */
export const ADMIN_PAGE_DEFAULT = 50;
/** The largest page a caller can ask for. */
export const ADMIN_PAGE_MAX = 200;

/** The query of the paged lists; `ADMIN_PAGE_DEFAULT` rows by default. */
export const AdminPage = z.object({
  limit: z.coerce.number().int().min(1).max(ADMIN_PAGE_MAX).optional(),
  cursor: z.string().max(1_000).optional().describe('Taken from the link to the next page.'),
});
