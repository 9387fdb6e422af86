import { z } from 'zod';
import { AUTH_BODY_LIMIT, NewPassword, Username } from './accounts.ts';
import { CouponCode, PaidTier } from './billing.ts';
import { Email, Id, Instant, InstantInput, textUpTo } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { TITLE_MAX } from './limits.ts';
import { TierConfig, TierName } from './tiers.ts';
import { blankAsAbsent } from './transfers.ts';

/** How many rows a page of a list has at most. */
export const ADMIN_PAGE_MAX = 200;
/** How many transfers one call deletes or extends at most. */
export const BATCH_MAX = 1_000;
export const EXTEND_DAYS_DEFAULT = 7;
export const EXTEND_DAYS_MAX = 90;

/** Lists are arrays; with a limit the header `Link: <…>; rel="next"` names the next page. */
const Page = z.object({
  limit: z.coerce.number().int().min(1).max(ADMIN_PAGE_MAX).optional(),
  /** From the link to the next page. */
  cursor: z.string().max(1_000).optional(),
});

const ById = z.object({ id: Id });
/** Users carry UUIDs (specification section 3). */
const ByUserId = z.object({ id: z.uuid('This id is not valid.') });

/* Dashboard */

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

/** Bytes. */
export const StorageTruth = z.object({
  committed: z.int(),
  /** Announced and not yet complete. */
  reserved: z.int(),
  /** Of transfers that are deleted and whose bytes are still there. */
  waitingForDeletion: z.int(),
  /** Found by the last sweep without a row, and how many blobs. */
  orphaned: z.int(),
  orphanedBlobs: z.int(),
  /** null: it has not run yet. */
  lastSweep: z.object({ at: Instant, freedBytes: z.int(), freedBlobs: z.int() }).nullable(),
  /** null where the store does not tell (S3). */
  disk: z.object({ freeBytes: z.int(), totalBytes: z.int() }).nullable(),
});
export type StorageTruth = z.infer<typeof StorageTruth>;

export const getStorageTruth = defineEndpoint({
  method: 'GET',
  path: '/api/admin/storage',
  access: 'admin',
  summary: 'What lies in the storage and why',
  response: StorageTruth,
});

export const MAIL_STATES = ['queued', 'sent', 'failed', 'dropped'] as const;
export const AdminMail = z.object({
  id: z.string(),
  kind: z.string(),
  recipient: z.string(),
  subject: z.string(),
  state: z.enum(MAIL_STATES),
  attempts: z.int(),
  reason: z.string().nullable(),
  createdAt: Instant,
  sentAt: Instant.nullable(),
});
export type AdminMail = z.infer<typeof AdminMail>;

export const listMails = defineEndpoint({
  method: 'GET',
  path: '/api/admin/mails',
  access: 'admin',
  summary: 'The outbox, the newest first',
  query: Page.extend({ state: z.enum(MAIL_STATES).optional(), search: textUpTo(TITLE_MAX).optional() }),
  response: z.array(AdminMail),
});

export const retryMail = defineEndpoint({
  method: 'POST',
  path: '/api/admin/mails/:id/retry',
  access: 'admin',
  summary: 'Send a mail that failed once more',
  params: ById,
  response: AdminMail,
});

export const AdminJob = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(['waiting', 'running', 'failed']),
  attempts: z.int(),
  runAt: Instant,
  createdAt: Instant,
  reason: z.string().nullable(),
});
export type AdminJob = z.infer<typeof AdminJob>;

export const listJobs = defineEndpoint({
  method: 'GET',
  path: '/api/admin/jobs',
  access: 'admin',
  summary: 'What waits, runs and was given up, failures first; at most 200',
  response: z.array(AdminJob),
});

export const retryJob = defineEndpoint({
  method: 'POST',
  path: '/api/admin/jobs/:id/retry',
  access: 'admin',
  summary: 'Run a job that was given up once more',
  params: ById,
  response: AdminJob,
});

/** One thing an installation needs, and what to do when it is not so. */
export const SystemCheck = z.object({
  name: z.string(),
  title: z.string(),
  state: z.enum(['ok', 'warning', 'failed']),
  /** What was found. */
  found: z.string(),
  /** What to do; null when all is well. */
  fix: z.string().nullable(),
});
export type SystemCheck = z.infer<typeof SystemCheck>;

export const runSystemChecks = defineEndpoint({
  method: 'POST',
  path: '/api/admin/checks',
  access: 'admin',
  summary: 'Look at database, storage, mail server, clock and disk',
  response: z.array(SystemCheck),
});

/** What reached us of a request of this browser: compared with what it sent. */
export const RequestSeen = z.object({
  publicUrl: z.string(),
  protocol: z.string(),
  host: z.string(),
  ip: z.string(),
  trustsProxy: z.boolean(),
  forwarded: z.record(z.string(), z.string()),
  serverTime: Instant,
});
export type RequestSeen = z.infer<typeof RequestSeen>;

export const seeRequest = defineEndpoint({
  method: 'GET',
  path: '/api/admin/checks/request',
  access: 'admin',
  summary: 'How a request of this browser arrives',
  response: RequestSeen,
});

/** Counts a body and throws it away, to measure what a proxy lets through. */
export const swallowBody = defineEndpoint({
  method: 'POST',
  path: '/api/admin/checks/body',
  access: 'admin',
  summary: 'Count the bytes of a body, at most 64 MiB, and throw them away',
  body: 'stream',
  response: z.object({ bytes: z.int(), milliseconds: z.int() }),
});

/* Users */

export const USER_SORTS = ['newest', 'oldest', 'username', 'email', 'storage'] as const;
export const AdminUser = z.object({
  id: z.string(),
  name: z.string(),
  username: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  isAdmin: z.boolean(),
  tier: TierName,
  createdAt: Instant,
  /** Ready ones. */
  transferCount: z.int(),
  /** Bytes in them. */
  storageBytes: z.int(),
});
export type AdminUser = z.infer<typeof AdminUser>;

export const listUsers = defineEndpoint({
  method: 'GET',
  path: '/api/admin/users',
  access: 'admin',
  summary: 'All accounts, the newest first unless told',
  query: Page.extend({
    /** In name, username and e-mail address. */
    search: textUpTo(TITLE_MAX).optional(),
    tier: TierName.optional(),
    role: z.enum(['admin', 'user']).optional(),
    sort: z.enum(USER_SORTS).optional(),
  }),
  response: z.array(AdminUser),
});

export const CreateUserInput = z.object({
  username: Username,
  email: Email,
  password: NewPassword,
  tier: TierName.default('free'),
  isAdmin: z.boolean().default(false),
  /** The username unless given. */
  name: blankAsAbsent(textUpTo(100)),
});

export const createUser = defineEndpoint({
  method: 'POST',
  path: '/api/admin/users',
  access: 'admin',
  summary: 'Create an account; its address counts as verified',
  body: CreateUserInput,
  bodyLimit: AUTH_BODY_LIMIT,
  response: AdminUser,
  status: 201,
});

export const deleteUser = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/users/:id',
  access: 'admin',
  summary: 'Delete an account with everything in it',
  params: ByUserId,
  response: 'empty',
});

export const setUserAdmin = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/users/:id/admin',
  access: 'admin',
  summary: 'Make somebody an administrator, or no longer',
  params: ByUserId,
  body: z.object({ isAdmin: z.boolean() }),
  response: AdminUser,
});

export const resetUserPassword = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/users/:id/reset-password',
  access: 'admin',
  summary: "Set somebody's password; all their sessions end",
  params: ByUserId,
  body: z.object({ password: NewPassword }),
  bodyLimit: AUTH_BODY_LIMIT,
  response: AdminUser,
});

export const setUserTier = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/users/:id/tier',
  access: 'admin',
  summary: "Set somebody's plan",
  params: ByUserId,
  body: z.object({ tier: TierName }),
  response: AdminUser,
});

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
  query: Page.extend({ search: textUpTo(TITLE_MAX).optional(), action: textUpTo(100).optional() }),
  response: z.array(AuditEntry),
});

/* Transfers */

export const ADMIN_TRANSFER_SORTS = ['newest', 'oldest', 'expiry', 'size'] as const;
export const AdminTransfer = z.object({
  id: z.string(),
  token: z.string(),
  title: z.string().nullable(),
  owner: z.object({ id: z.string(), username: z.string(), email: z.string() }),
  fileCount: z.int(),
  /** Bytes. */
  totalSize: z.int(),
  downloadCount: z.int(),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  isExpired: z.boolean(),
  isPasswordProtected: z.boolean(),
  isTakenDown: z.boolean(),
  /** Reports that nobody has settled. */
  openReports: z.int(),
});
export type AdminTransfer = z.infer<typeof AdminTransfer>;

export const listAllTransfers = defineEndpoint({
  method: 'GET',
  path: '/api/admin/transfers',
  access: 'admin',
  summary: 'All ready transfers, the newest first unless told',
  query: Page.extend({
    /** In title, message and file names. */
    search: textUpTo(TITLE_MAX).optional(),
    /** Username or e-mail address, or the beginning of one. */
    owner: textUpTo(320).optional(),
    state: z.enum(['active', 'expired', 'reported', 'taken-down']).optional(),
    minBytes: z.coerce.number().int().nonnegative().optional(),
    maxBytes: z.coerce.number().int().nonnegative().optional(),
    sort: z.enum(ADMIN_TRANSFER_SORTS).optional(),
  }),
  response: z.array(AdminTransfer),
});

const Days = z
  .int()
  .min(1, 'Please give at least 1 day')
  .max(EXTEND_DAYS_MAX, `Please give at most ${EXTEND_DAYS_MAX} days`);
const TransferIds = z
  .array(Id)
  .min(1, 'Please choose at least one transfer')
  .max(BATCH_MAX, `Please choose at most ${BATCH_MAX.toLocaleString('en')} transfers`);

export const deleteAnyTransfer = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/transfers/:id',
  access: 'admin',
  summary: 'Delete a transfer and all its files',
  params: ById,
  response: 'empty',
});

export const extendTransfer = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/transfers/:id/extend',
  access: 'admin',
  summary: 'Let a transfer live so many days longer; an expired one, from now',
  params: ById,
  body: z.object({ days: Days.default(EXTEND_DAYS_DEFAULT) }),
  response: AdminTransfer,
});

export const batchDelete = defineEndpoint({
  method: 'POST',
  path: '/api/admin/transfers/batch-delete',
  access: 'admin',
  summary: 'Delete up to 1,000 transfers; unknown ids are passed over',
  body: z.object({ transferIds: TransferIds }),
  response: z.object({ deleted: z.int() }),
});

export const batchExtend = defineEndpoint({
  method: 'POST',
  path: '/api/admin/transfers/batch-extend',
  access: 'admin',
  summary: 'Extend up to 1,000 transfers; unknown ids are passed over',
  body: z.object({ transferIds: TransferIds, days: Days.default(EXTEND_DAYS_DEFAULT) }),
  response: z.object({ extended: z.int() }),
});

export const AbuseReport = z.object({
  id: z.string(),
  transferId: z.string(),
  title: z.string().nullable(),
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
  summary: 'Reports about transfers, the open ones first',
  query: Page.extend({ state: z.enum(['open', 'settled']).optional() }),
  response: z.array(AbuseReport),
});

export const settleReport = defineEndpoint({
  method: 'POST',
  path: '/api/admin/reports/:id/settle',
  access: 'admin',
  summary: 'Dismiss a report, or take the transfer down and settle all about it',
  params: ById,
  body: z.object({ verdict: z.enum(['dismiss', 'take-down']) }),
  response: AbuseReport,
});

export const setTakenDown = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/transfers/:id/taken-down',
  access: 'admin',
  summary: 'Close a transfer to everybody but its owner, or open it again',
  params: ById,
  body: z.object({ isTakenDown: z.boolean() }),
  response: AdminTransfer,
});

/* Coupons and plans */

export const Coupon = z.object({
  id: z.string(),
  code: z.string(),
  discountPercent: z.int(),
  freeMonths: z.int(),
  tier: PaidTier,
  maxUses: z.int().nullable(),
  currentUses: z.int(),
  /** The same number under the other name of the specification's section 3. */
  usedCount: z.int(),
  expiresAt: Instant.nullable(),
  createdAt: Instant,
});
export type Coupon = z.infer<typeof Coupon>;

export const CreateCouponInput = z.object({
  code: CouponCode.pipe(z.string().regex(/^[A-Z0-9._-]+$/, 'Please use letters, digits, dots and dashes')),
  discountPercent: z.int().min(0, 'Please give 0 to 100').max(100, 'Please give 0 to 100').default(0),
  freeMonths: z.int().min(0, 'Please give 0 or more months').max(36, 'Please give at most 36').default(0),
  tier: PaidTier,
  maxUses: blankAsAbsent(z.int().min(1, 'Please give at least 1, or nothing').max(1_000_000_000)),
  expiresAt: blankAsAbsent(InstantInput),
});

export const listCoupons = defineEndpoint({
  method: 'GET',
  path: '/api/admin/coupons',
  access: 'admin',
  summary: 'All coupons, the newest first',
  response: z.array(Coupon),
});

export const createCoupon = defineEndpoint({
  method: 'POST',
  path: '/api/admin/coupons',
  access: 'admin',
  summary: 'Create a coupon; its code is held in upper case',
  body: CreateCouponInput,
  response: Coupon,
  status: 201,
});

export const deleteCoupon = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/coupons/:id',
  access: 'admin',
  summary: 'Delete a coupon; subscriptions begun with it keep their discount',
  params: ById,
  response: 'empty',
});

export const updateTierConfig = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/tier-config',
  access: 'admin',
  summary: 'Change limits and prices of the plans; holds from the next request on',
  body: TierConfig,
  response: TierConfig,
});
