import { z } from 'zod';
import { AdminPage } from './admin-pages.ts';
import { Instant, textUpTo } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { TITLE_MAX } from './limits.ts';

/** Who did what to whom, and when. */
export const AuditEntry = z.object({
  id: z.string(),
  at: Instant,
  actor: z.string(),
  /** 'user.create', 'transfer.delete', … */
  action: z.string(),
  /** What it was done to, in words that stay true after it is gone. */
  subject: z.string(),
  details: z.record(z.string(), z.unknown()),
  ipAddress: z.string().nullable(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const listAudit = defineEndpoint({
  method: 'GET',
  path: '/api/admin/audit',
  access: 'admin',
  summary: 'What administrators have done, the newest first',
  query: AdminPage.extend({ search: textUpTo(TITLE_MAX).optional(), action: textUpTo(100).optional() }),
  response: z.array(AuditEntry),
});
