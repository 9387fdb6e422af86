import { z } from 'zod';
import { Instant, textUpTo } from './common.ts';
import { defineEndpoint } from './endpoint.ts';

/** How long it is known what became of a transfer or upload. */
export const FATES_KEPT_DAYS = 90;

export const FATE_CAUSES = [
  /** Its time is over; the data stays for 7 more days. */
  'expired',
  /** Deleted 7 days after it expired. */
  'expired-removed',
  'deleted-by-owner',
  'deleted-by-admin',
  /** It was set to be deleted after its last allowed download. */
  'download-limit',
  'account-deleted',
  /** A visitor had not finished it when the invitation was deleted. */
  'invitation-deleted',
  /** Nothing arrived for 24 hours. */
  'idle',
  /** Its sender gave it up. */
  'aborted',
  /** It could not be stored or completed, and the sender was told so. */
  'refused',
  /** A draft whose only upload ended. */
  'empty-draft',
  /** An operator's command gave up all open uploads. */
  'dropped-by-operator',
  'taken-down',
  'reopened',
  /** Bytes and rows are gone. */
  'data-removed',
] as const;
export type FateCause = (typeof FATE_CAUSES)[number];

export const Whereabouts = z.object({
  /** null: nothing of that id, token or link is known. */
  kind: z.enum(['transfer', 'upload']).nullable(),
  /**
   * What it is now. `expired`: closed, its data still there. `removing`: deleted, its data still there. `gone`:
   * its history says why. `unknown`: never existed here, or is gone for longer than 90 days.
   */
  state: z.enum([
    'ready',
    'scheduled',
    'expired',
    'taken-down',
    /** Files wait for the virus scanner, or for an administrator because they could not be scanned. */
    'checking',
    /** A file is infected, or its content was taken down. */
    'blocked',
    'draft',
    'removing',
    'open',
    'complete',
    'gone',
    'unknown',
  ]),
  transferId: z.string().nullable(),
  uploadId: z.string().nullable(),
  /** Username; null when the account is gone. */
  owner: z.string().nullable(),
  /** Bytes; null when it is gone. */
  sizeBytes: z.int().nullable(),
  /** Bytes that have arrived of an open upload, at least. */
  receivedBytes: z.int().nullable(),
  createdAt: Instant.nullable(),
  expiresAt: Instant.nullable(),
  /** Of an open upload: the last sign of life. */
  lastActivityAt: Instant.nullable(),
  /** What happened to it in the last 90 days, the latest first; at most 20. */
  history: z.array(z.object({ cause: z.enum(FATE_CAUSES), at: Instant })),
});
export type Whereabouts = z.infer<typeof Whereabouts>;

export const lookUp = defineEndpoint({
  method: 'GET',
  path: '/api/admin/lookup',
  access: 'admin',
  summary: 'What became of a transfer or upload',
  query: z.object({
    /** A transfer id, an upload id, a share token, or a link with one. */
    q: textUpTo(2_000).min(1, 'Please enter an ID, a share token or a link'),
  }),
  response: Whereabouts,
});
