import { z } from 'zod';
import { AdminPage } from './admin-pages.ts';
import { Id, Instant, textUpTo } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { TITLE_MAX } from './limits.ts';

const ById = z.object({ id: Id });

/** Bytes. */
export const StorageTruth = z.object({
  committed: z.int(),
  /** Announced and not yet complete. */
  reserved: z.int(),
  /** How much of `reserved` has arrived, at least. */
  received: z.int(),
  /** Of transfers that are deleted and whose bytes are still there. */
  waitingForDeletion: z.int(),
  /** Found by the last sweep without a row, and how many blobs. */
  orphaned: z.int(),
  orphanedBlobs: z.int(),
  /** Those of them that are younger than a day, so that their row may still come. */
  youngOrphaned: z.int(),
  youngOrphanedBlobs: z.int(),
  /** Blobs without a row that wait seven days in the trash, as the last sweep left them. */
  trashed: z.int(),
  trashedBlobs: z.int(),
  oldestTrashedAt: Instant.nullable(),
  /** null: it has not run yet. */
  lastSweep: z.object({ at: Instant, freedBytes: z.int(), freedBlobs: z.int() }).nullable(),
  /** Files whose stored bytes are missing or not those that were sent. */
  damagedFiles: z.int(),
  /** How overdue the file is that has waited longest to be read again; null while the scrub is off or has not run. */
  scrubDelaySeconds: z.int().nullable(),
  /** null where the store does not tell (S3). */
  disk: z.object({ freeBytes: z.int(), totalBytes: z.int() }).nullable(),
  /** `walBytes`: SQLite's write-ahead log; null on PostgreSQL. */
  database: z.object({ bytes: z.int(), walBytes: z.int().nullable() }),
  /** When the newest complete backup was started; null: the backup command never completed one. */
  lastBackupAt: Instant.nullable(),
});
export type StorageTruth = z.infer<typeof StorageTruth>;

export const getStorageTruth = defineEndpoint({
  method: 'GET',
  path: '/api/admin/storage',
  access: 'admin',
  summary: 'What lies in the storage and why',
  response: StorageTruth,
});

/** What keeps the server from deleting what is too old, or what has no row. */
export const DeletionSafety = z.object({
  /** The clock jumped: nothing expires or is deleted by age. null while the clock is trusted. */
  clock: z
    .object({
      id: Id,
      /** How far the clock is ahead of the expected time; negative when behind. */
      jumpSeconds: z.int(),
      noticedAt: Instant,
      /** The server's clock now. */
      serverTime: Instant,
    })
    .nullable(),
  /** The sweep found too many blobs without a row and moved none into the trash. */
  sweep: z
    .object({
      id: Id,
      since: Instant,
      countedAt: Instant,
      blobs: z.int(),
      bytes: z.int(),
      /** All stored blobs, with a row or without. */
      allBlobs: z.int(),
      /** Some of their keys. */
      sample: z.array(z.string()),
      /** The next sweep moves them; null while nobody has confirmed it, or not within the last day. */
      confirmed: z.object({ by: z.string(), at: Instant }).nullable(),
    })
    .nullable(),
  /** Until then no blob without a row is touched, after a first start, a restore or an adopted storage. */
  quarantineUntil: Instant.nullable(),
});
export type DeletionSafety = z.infer<typeof DeletionSafety>;

/** Names what was seen, so that nothing else is confirmed by mistake. */
const Confirmation = z.strictObject({ id: Id });

export const getDeletionSafety = defineEndpoint({
  method: 'GET',
  path: '/api/admin/safety',
  access: 'admin',
  summary: 'What stops deletion by age, and of blobs without a row',
  response: DeletionSafety,
});

export const confirmClock = defineEndpoint({
  method: 'POST',
  path: '/api/admin/safety/clock',
  access: 'admin',
  summary: 'Confirm that the clock is right after it jumped',
  body: Confirmation,
  response: DeletionSafety,
});

export const confirmSweep = defineEndpoint({
  method: 'POST',
  path: '/api/admin/safety/sweep',
  access: 'admin',
  summary: 'Let the sweep move what it found into the trash',
  body: Confirmation,
  response: DeletionSafety,
});

export const AdminDamagedFile = z.object({
  id: z.string(),
  relativePath: z.string(),
  /** Bytes. */
  size: z.int(),
  /** Of the blob that holds it, as verify-storage names it. */
  storageKey: z.string(),
  transferId: z.string(),
  transferTitle: z.string().nullable(),
  transferCreatedAt: Instant,
  /** Username. */
  owner: z.string(),
  ownerEmail: z.string(),
  damagedAt: Instant,
  /** When the owner was told by mail; null: not yet. */
  ownerToldAt: Instant.nullable(),
});
export type AdminDamagedFile = z.infer<typeof AdminDamagedFile>;

export const listDamagedFiles = defineEndpoint({
  method: 'GET',
  path: '/api/admin/damaged-files',
  access: 'admin',
  summary: 'Files whose stored bytes are damaged, those found last first',
  query: AdminPage,
  response: z.array(AdminDamagedFile),
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
  /** Of a mail that waits: when it is tried next; null while it is being sent, or when there is no mail server. */
  nextTryAt: Instant.nullable(),
});
export type AdminMail = z.infer<typeof AdminMail>;

export const listMails = defineEndpoint({
  method: 'GET',
  path: '/api/admin/mails',
  access: 'admin',
  summary: 'The outbox, the newest first',
  query: AdminPage.extend({ state: z.enum(MAIL_STATES).optional(), search: textUpTo(TITLE_MAX).optional() }),
  response: z.array(AdminMail),
});

export const RecipientMails = z.object({
  /** Mails to exactly this address in the outbox, in any state; at most 1,000 are counted. */
  mails: z.int(),
  /** Since when the recipient takes no mails that senders cause; null: they take them. */
  unsubscribedAt: Instant.nullable(),
});
export type RecipientMails = z.infer<typeof RecipientMails>;

export const findRecipient = defineEndpoint({
  method: 'GET',
  path: '/api/admin/mails/recipient',
  access: 'admin',
  summary: 'Whether an address was ever sent mail, and whether its reader has unsubscribed',
  query: z.object({ email: textUpTo(320).min(3, 'Please enter an email address') }),
  response: RecipientMails,
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
