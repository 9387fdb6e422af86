import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { HELD_STATES, OwnHeldFile } from '../transfers/held-files.ts';
import { Id, Instant, textUpTo } from '../values/fields.ts';
import { AdminPage } from './pages.ts';

export const SCAN_REASON_MAX = 500;

export const HeldFile = OwnHeldFile.extend({
  size: z.int().describe('Bytes.'),
  sha256: z.string().nullable().describe('Lower-case hex. Null while it is unknown.'),
  transferId: z.string(),
  transferTitle: z.string().nullable(),
  owner: z.string().describe('Username.'),
  ownerEmail: z.string(),
  foundAt: Instant,
});
export type HeldFile = z.infer<typeof HeldFile>;

export const listHeldFiles = defineEndpoint({
  method: 'GET',
  path: '/api/admin/held-files',
  access: 'admin',
  summary: 'Files that cannot be downloaded, infected ones by default, newest first',
  query: AdminPage.extend({ state: z.enum(HELD_STATES).optional() }),
  paged: true,
  response: z.array(HeldFile),
});

const Reason = textUpTo(SCAN_REASON_MAX).pipe(z.string().trim().min(1, 'Please enter a reason'));

export const releaseHeldFile = defineEndpoint({
  method: 'POST',
  path: '/api/admin/held-files/:id/release',
  access: 'admin-step-up',
  summary: 'Release an infected or unscanned file for download',
  description: 'Also applies to every other file with the same content, now and later.',
  params: z.object({ id: Id }),
  body: z.strictObject({ reason: Reason }),
  response: 'empty',
});

export const BlockedContent = z
  .object({
    id: z.string(),
    sha256: z.string().describe('Lower-case hex.'),
    reason: z.string(),
    fileName: z.string().describe('Name of the file it was taken down for.'),
    size: z.int().describe('Bytes.'),
    blockedBy: z.string().describe('Username.'),
    blockedAt: Instant,
  })
  .describe('A content that was taken down: no file with this SHA-256 can be downloaded.');
export type BlockedContent = z.infer<typeof BlockedContent>;

export const listBlockedContents = defineEndpoint({
  method: 'GET',
  path: '/api/admin/blocked-contents',
  access: 'admin',
  summary: 'Contents that were taken down, latest first',
  query: AdminPage,
  paged: true,
  response: z.array(BlockedContent),
});

export const blockContent = defineEndpoint({
  method: 'POST',
  path: '/api/admin/blocked-contents',
  access: 'admin-step-up',
  summary: 'Take down all current and future files with the same content',
  description: 'Answers 503 with `Retry-After` while the SHA-256 of the file is still being computed.',
  body: z.strictObject({ fileId: Id, reason: Reason }),
  response: BlockedContent,
});

export const unblockContent = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/blocked-contents/:id',
  access: 'admin-step-up',
  summary: 'Allow content that was taken down',
  params: z.object({ id: Id }),
  response: 'empty',
});

export const ReviewedFile = z
  .object({
    id: z.string(),
    relativePath: z.string(),
    size: z.int().describe('Bytes.'),
    sha256: z.string().nullable(),
    held: z
      .enum(['waiting', ...HELD_STATES])
      .nullable()
      .describe('Why it is held. Null if it can be downloaded.'),
  })
  .describe('A file of a reported transfer, for an administrator to choose which content to take down.');
export type ReviewedFile = z.infer<typeof ReviewedFile>;

export const REVIEWED_FILES_MAX = 100;

export const reviewFiles = defineEndpoint({
  method: 'GET',
  path: '/api/admin/reviewed-files',
  access: 'admin',
  summary: 'The first 100 files of a transfer with their checksums; none of one that is unknown',
  query: z.object({ transferId: Id }),
  response: z.array(ReviewedFile),
});
