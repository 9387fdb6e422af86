import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { TITLE_MAX } from '../plans/limits.ts';
import { Instant, textUpTo } from '../values/fields.ts';
import { AdminPage } from './pages.ts';

export const AuditEntry = z
  .object({
    id: z.string(),
    at: Instant,
    actor: z.string(),
    action: z.string().describe('For example `user.create` or `transfer.delete`.'),
    subject: z.string().describe('What was changed, in words that still make sense after it is deleted.'),
    details: z.record(z.string(), z.unknown()),
    ipAddress: z.string().nullable(),
  })
  .describe('Who did what to whom, and when.');
export type AuditEntry = z.infer<typeof AuditEntry>;

export const listAudit = defineEndpoint({
  method: 'GET',
  path: '/api/admin/audit',
  access: 'admin',
  summary: 'What administrators have done, newest first',
  query: AdminPage.extend({ search: textUpTo(TITLE_MAX).optional(), action: textUpTo(100).optional() }),
  paged: true,
  response: z.array(AuditEntry),
});
