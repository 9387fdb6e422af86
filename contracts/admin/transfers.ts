import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { TITLE_MAX } from '../plans/limits.ts';
import { EncryptionVersion, FirstFileName } from '../transfers/transfers.ts';
import { Id, Instant, textUpTo } from '../values/fields.ts';
import { formatCount } from '../values/format.ts';
import { AdminPage } from './pages.ts';

export const BATCH_MAX = 1_000;
export const EXTEND_DAYS_DEFAULT = 7;
export const EXTEND_DAYS_MAX = 90;

const ById = z.object({ id: Id });

export const ADMIN_TRANSFER_SORTS = ['newest', 'oldest', 'expiry', 'size'] as const;
export const AdminTransfer = z.object({
  id: z.string(),
  token: z.string(),
  isArriving: z.boolean().describe('Its files are still being uploaded. They count as announced.'),
  title: z.string().nullable(),
  firstFileName: FirstFileName,
  encryption: EncryptionVersion,
  owner: z.object({ id: z.string(), username: z.string(), email: z.string() }),
  fileCount: z.int(),
  totalSize: z.int().describe('Bytes.'),
  downloadCount: z.int(),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  isExpired: z.boolean(),
  isPasswordProtected: z.boolean(),
  isTakenDown: z.boolean(),
  openReports: z.int().describe('Number of reports that are not settled.'),
});
export type AdminTransfer = z.infer<typeof AdminTransfer>;

export const listAllTransfers = defineEndpoint({
  method: 'GET',
  path: '/api/admin/transfers',
  access: 'admin',
  summary: 'All transfers that have a link, newest first by default',
  query: AdminPage.extend({
    search: textUpTo(TITLE_MAX).optional().describe('Searches titles, messages and file names.'),
    owner: textUpTo(320).optional().describe('A username or email address, or the beginning of one.'),
    state: z.enum(['active', 'expired', 'reported', 'taken-down']).optional(),
    minBytes: z.coerce.number().int().nonnegative().optional(),
    maxBytes: z.coerce.number().int().nonnegative().optional(),
    sort: z.enum(ADMIN_TRANSFER_SORTS).optional(),
  }),
  paged: true,
  response: z.array(AdminTransfer),
});

const Days = z
  .int()
  .min(1, 'Please enter at least 1 day')
  .max(EXTEND_DAYS_MAX, `Please enter at most ${EXTEND_DAYS_MAX} days`);
const TransferIds = z
  .array(Id)
  .min(1, 'Please choose at least one transfer')
  .max(BATCH_MAX, `Please choose at most ${formatCount(BATCH_MAX)} transfers`);

export const deleteAnyTransfer = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/transfers/:id',
  access: 'admin-step-up',
  summary: 'Delete a transfer and all its files',
  params: ById,
  response: 'empty',
});

export const extendTransfer = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/transfers/:id/extend',
  access: 'admin-step-up',
  summary: 'Extend a transfer by some days; an expired one is extended from now',
  params: ById,
  body: z.strictObject({ days: Days.default(EXTEND_DAYS_DEFAULT) }),
  response: AdminTransfer,
});

export const batchDelete = defineEndpoint({
  method: 'POST',
  path: '/api/admin/transfers/batch-delete',
  access: 'admin-step-up',
  summary: 'Delete up to 1,000 transfers; unknown ids are ignored',
  body: z.strictObject({ transferIds: TransferIds }),
  response: z.object({ deleted: z.int() }),
});

export const batchExtend = defineEndpoint({
  method: 'POST',
  path: '/api/admin/transfers/batch-extend',
  access: 'admin-step-up',
  summary: 'Extend up to 1,000 transfers; unknown ids are ignored',
  body: z.strictObject({ transferIds: TransferIds, days: Days.default(EXTEND_DAYS_DEFAULT) }),
  response: z.object({ extended: z.int() }),
});

export const AbuseReport = z.object({
  id: z.string(),
  transferId: z.string(),
  title: z.string().nullable(),
  firstFileName: FirstFileName,
  encryption: EncryptionVersion,
  fileCount: z.int(),
  transferCreatedAt: Instant,
  owner: z.string(),
  reason: z.string(),
  details: z.string().nullable(),
  reporterEmail: z.string().nullable(),
  createdAt: Instant,
  settledAt: Instant.nullable(),
  isTakenDown: z.boolean(),
});
export type AbuseReport = z.infer<typeof AbuseReport>;

export const listReports = defineEndpoint({
  method: 'GET',
  path: '/api/admin/reports',
  access: 'admin',
  summary: 'Reports about transfers, open ones first',
  query: AdminPage.extend({ state: z.enum(['open', 'settled']).optional() }),
  paged: true,
  response: z.array(AbuseReport),
});

export const settleReport = defineEndpoint({
  method: 'POST',
  path: '/api/admin/reports/:id/settle',
  access: 'admin-step-up',
  summary: 'Dismiss a report, or take the transfer down and settle all its reports',
  params: ById,
  body: z.strictObject({ verdict: z.enum(['dismiss', 'take-down']) }),
  response: AbuseReport,
});

export const setTakenDown = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/transfers/:id/taken-down',
  access: 'admin-step-up',
  summary: 'Close a transfer to everyone except its owner, or reopen it',
  params: ById,
  body: z.strictObject({ isTakenDown: z.boolean() }),
  response: AdminTransfer,
});
