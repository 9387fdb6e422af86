import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { Instant, textUpTo } from '../values/fields.ts';

export const FATES_KEPT_DAYS = 90;

export const FATE_CAUSES = [
  /** Expired; the data is kept for 7 more days. */
  'expired',
  /** Deleted 7 days after it expired. */
  'expired-removed',
  'deleted-by-owner',
  /** The owner undid the deletion. */
  'restored-by-owner',
  'deleted-by-admin',
  /** Deleted after its last allowed download. */
  'download-limit',
  'account-deleted',
  /** The invitation was deleted before a visitor had finished it. */
  'invitation-deleted',
  /** Nothing arrived for 24 hours. */
  'idle',
  'aborted',
  /** Could not be stored or completed; the sender got an error. */
  'refused',
  /** A draft whose only upload ended. */
  'empty-draft',
  /** A restore discarded all open uploads. */
  'dropped-by-operator',
  'taken-down',
  'reopened',
  /** A new version replaced the files. */
  'updated',
  /** Blobs and rows are deleted. */
  'data-removed',
] as const;
export type FateCause = (typeof FATE_CAUSES)[number];

export const Whereabouts = z.object({
  kind: z.enum(['transfer', 'upload']).nullable().describe('Null if this id, token or link is unknown.'),
  state: z
    .enum([
      'ready',
      'scheduled',
      'expired',
      'taken-down',
      'checking',
      'blocked',
      'draft',
      'arriving',
      'removing',
      'open',
      'complete',
      'gone',
      'unknown',
    ])
    .describe(
      'The state now. `expired`: closed, but its data is still stored. `checking`: files wait for the virus scanner, or for an administrator because they could not be scanned. `arriving`: the link works, although files are still being uploaded. `blocked`: a file is infected, or its content was taken down. `removing`: deleted, but its data is still stored. `gone`: `history` says why. `unknown`: it never existed here, or it ended more than 90 days ago.',
    ),
  transferId: z.string().nullable(),
  uploadId: z.string().nullable(),
  owner: z.string().nullable().describe('Username. Null if the account was deleted.'),
  sizeBytes: z.int().nullable().describe('Bytes. Null if its data is gone.'),
  receivedBytes: z.int().nullable().describe('Bytes received so far for an open upload. A lower bound.'),
  createdAt: Instant.nullable(),
  expiresAt: Instant.nullable(),
  lastActivityAt: Instant.nullable().describe('When the client of an open upload last made a call.'),
  history: z
    .array(z.object({ cause: z.enum(FATE_CAUSES), at: Instant }))
    .describe('What happened in the last 90 days, newest first. At most 20 entries.'),
});
export type Whereabouts = z.infer<typeof Whereabouts>;

export const lookUp = defineEndpoint({
  method: 'GET',
  path: '/api/admin/lookup',
  access: 'admin',
  summary: 'Find out what happened to a transfer or upload',
  query: z.object({
    q: textUpTo(2_000)
      .min(1, 'Please enter an ID, a share token or a link')
      .describe('A transfer id, an upload id, a share token, or a link that contains one.'),
  }),
  response: Whereabouts,
});
