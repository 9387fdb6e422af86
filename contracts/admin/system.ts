import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { TITLE_MAX } from '../plans/limits.ts';
import { Id, Instant, textUpTo } from '../values/fields.ts';
import { AdminPage } from './pages.ts';

const ById = z.object({ id: Id });

export const StorageTruth = z
  .object({
    committed: z.int().describe('Bytes of complete files.'),
    reserved: z.int().describe('Bytes of uploads that are announced and not complete yet.'),
    received: z.int().describe('How much of `reserved` has arrived. A lower bound.'),
    waitingForDeletion: z.int().describe('Bytes of deleted transfers that are still stored.'),
    orphaned: z.int().describe('Bytes of the blobs without a database row that the last sweep found.'),
    orphanedBlobs: z.int().describe('Number of these blobs.'),
    youngOrphaned: z
      .int()
      .describe(
        'Bytes of the orphaned blobs that are less than a day old, so their row may still be written.',
      ),
    youngOrphanedBlobs: z.int().describe('Number of these blobs.'),
    trashed: z
      .int()
      .describe('Bytes of the blobs without a row that wait seven days in the trash, as of the last sweep.'),
    trashedBlobs: z.int().describe('Number of these blobs.'),
    oldestTrashedAt: Instant.nullable(),
    lastSweep: z
      .object({ at: Instant, freedBytes: z.int(), freedBlobs: z.int() })
      .nullable()
      .describe('Null if no sweep has run yet.'),
    damagedFiles: z
      .int()
      .describe('Number of files whose stored bytes are missing or differ from what was sent.'),
    scrubDelaySeconds: z
      .int()
      .nullable()
      .describe(
        'How overdue the scrub of the file that has waited longest is. Null if the scrub is off or has not run yet.',
      ),
    disk: z
      .object({ freeBytes: z.int(), totalBytes: z.int() })
      .nullable()
      .describe('Null if the storage does not report it (S3).'),
    database: z
      .object({ bytes: z.int(), walBytes: z.int().nullable() })
      .describe('`walBytes` is the size of SQLite’s write-ahead log; null on PostgreSQL.'),
    lastBackupAt: Instant.nullable().describe(
      'When the newest complete backup started. Null if no backup was ever completed.',
    ),
  })
  .describe('What is stored. Sizes are in bytes.');
export type StorageTruth = z.infer<typeof StorageTruth>;

export const getStorageTruth = defineEndpoint({
  method: 'GET',
  path: '/api/admin/storage',
  access: 'admin',
  summary: 'What is stored, and why',
  response: StorageTruth,
});

export const DeletionSafety = z
  .object({
    clock: z
      .object({
        id: Id,
        jumpSeconds: z
          .int()
          .describe('How far the clock is ahead of the expected time. Negative if it is behind.'),
        noticedAt: Instant,
        serverTime: Instant.describe('The server’s clock now.'),
      })
      .nullable()
      .describe(
        'Set while the clock is not trusted because it jumped: nothing expires or is deleted by age. Null otherwise.',
      ),
    sweep: z
      .object({
        id: Id,
        since: Instant,
        countedAt: Instant,
        blobs: z.int(),
        bytes: z.int(),
        allBlobs: z.int().describe('Number of all stored blobs, with or without a row.'),
        sample: z.array(z.string()).describe('Some of their storage keys.'),
        confirmed: z
          .object({ by: z.string(), at: Instant })
          .nullable()
          .describe(
            'Set if an administrator confirmed it within the last day: the next sweep moves the blobs. Null otherwise.',
          ),
      })
      .nullable()
      .describe(
        'Set if the sweep found too many blobs without a row and therefore moved none to the trash. Null otherwise.',
      ),
    quarantineUntil: Instant.nullable().describe(
      'No blob without a row is touched before this time. Set after a first start, a restore, or when a storage was adopted.',
    ),
  })
  .describe('What stops the server from deleting expired data and blobs without a row.');
export type DeletionSafety = z.infer<typeof DeletionSafety>;

const Confirmation = z.strictObject({
  id: Id.describe('The `id` that was shown, so that nothing newer is confirmed by mistake.'),
});

export const getDeletionSafety = defineEndpoint({
  method: 'GET',
  path: '/api/admin/safety',
  access: 'admin',
  summary: 'What stops the deletion of expired data and of blobs without a row',
  response: DeletionSafety,
});

export const confirmClock = defineEndpoint({
  method: 'POST',
  path: '/api/admin/safety/clock',
  access: 'admin-step-up',
  summary: 'Confirm that the clock is right after it jumped',
  body: Confirmation,
  response: DeletionSafety,
});

export const confirmSweep = defineEndpoint({
  method: 'POST',
  path: '/api/admin/safety/sweep',
  access: 'admin-step-up',
  summary: 'Let the sweep move what it found to the trash',
  body: Confirmation,
  response: DeletionSafety,
});

export const AdminDamagedFile = z.object({
  id: z.string(),
  relativePath: z.string(),
  size: z.int().describe('Bytes.'),
  storageKey: z
    .string()
    .describe('The key of the blob that contains the file, as `verify-storage` prints it.'),
  transferId: z.string(),
  transferTitle: z.string().nullable(),
  transferName: z.string().describe('The title, or the names of its files.'),
  transferCreatedAt: Instant,
  owner: z.string().describe('Username.'),
  ownerEmail: z.string(),
  damagedAt: Instant,
  ownerToldAt: Instant.nullable().describe('When the owner was notified by email. Null if not yet.'),
});
export type AdminDamagedFile = z.infer<typeof AdminDamagedFile>;

export const listDamagedFiles = defineEndpoint({
  method: 'GET',
  path: '/api/admin/damaged-files',
  access: 'admin',
  summary: 'Files whose stored bytes are damaged, latest finding first',
  query: AdminPage,
  paged: true,
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
  nextTryAt: Instant.nullable().describe(
    'When a queued email is tried next. Null while it is being sent, or if no mail server is configured.',
  ),
});
export type AdminMail = z.infer<typeof AdminMail>;

export const listMails = defineEndpoint({
  method: 'GET',
  path: '/api/admin/mails',
  access: 'admin',
  summary: 'The outbox, newest first',
  query: AdminPage.extend({ state: z.enum(MAIL_STATES).optional(), search: textUpTo(TITLE_MAX).optional() }),
  paged: true,
  response: z.array(AdminMail),
});

export const RecipientMails = z.object({
  mails: z.int().describe('Emails to exactly this address in the outbox, in any state. Counted up to 1,000.'),
  unsubscribedAt: Instant.nullable().describe(
    'When the recipient unsubscribed from emails that senders cause. Null if they did not.',
  ),
});
export type RecipientMails = z.infer<typeof RecipientMails>;

export const findRecipient = defineEndpoint({
  method: 'GET',
  path: '/api/admin/mails/recipient',
  access: 'admin',
  summary: 'Whether an address was ever emailed, and whether it has unsubscribed',
  query: z.object({ email: textUpTo(320).min(3, 'Please enter an email address') }),
  response: RecipientMails,
});

export const retryMail = defineEndpoint({
  method: 'POST',
  path: '/api/admin/mails/:id/retry',
  access: 'admin-step-up',
  summary: 'Retry a failed email',
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
  summary: 'Waiting, running and failed jobs, failures first; at most 200',
  response: z.array(AdminJob),
});

export const retryJob = defineEndpoint({
  method: 'POST',
  path: '/api/admin/jobs/:id/retry',
  access: 'admin-step-up',
  summary: 'Retry a failed job',
  params: ById,
  response: AdminJob,
});

export const SystemCheck = z
  .object({
    name: z.string(),
    title: z.string(),
    state: z.enum(['ok', 'warning', 'failed']),
    found: z.string().describe('What the check found.'),
    fix: z.string().nullable().describe('What to do. Null if everything is fine.'),
  })
  .describe('One requirement of an installation, and how to fix it if it is not met.');
export type SystemCheck = z.infer<typeof SystemCheck>;

export const runSystemChecks = defineEndpoint({
  method: 'POST',
  path: '/api/admin/checks',
  access: 'admin',
  summary: 'Check database, storage, mail server, clock and disk',
  response: z.array(SystemCheck),
});

export const RequestSeen = z
  .object({
    publicUrl: z.string(),
    protocol: z.string(),
    host: z.string(),
    ip: z.string(),
    trustsProxy: z.boolean(),
    forwarded: z.record(z.string(), z.string()),
    serverTime: Instant,
  })
  .describe('A request of this browser as it reached the server, to compare with what the browser sent.');
export type RequestSeen = z.infer<typeof RequestSeen>;

export const seeRequest = defineEndpoint({
  method: 'GET',
  path: '/api/admin/checks/request',
  access: 'admin',
  summary: 'Show this request as it reached the server',
  response: RequestSeen,
});

export const swallowBody = defineEndpoint({
  method: 'POST',
  path: '/api/admin/checks/body',
  access: 'admin',
  summary: 'Count the bytes of a body, at most 64 MiB, and discard them',
  description: 'Measures what a reverse proxy lets through.',
  body: 'stream',
  response: z.object({ bytes: z.int(), milliseconds: z.int() }),
});
