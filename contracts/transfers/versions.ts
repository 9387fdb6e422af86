import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { MAX_FILES_PER_CALL } from '../plans/limits.ts';
import { Id, Instant, isStorableText, ShareToken } from '../values/fields.ts';
import { FILES_PER_PAGE } from '../values/paging.ts';
import { MIB } from '../values/sizes.ts';
import { FilesQuery } from './file-queries.ts';
import { TransferFile } from './transfers.ts';

/** Of one transfer, the current one included. */
export const VERSIONS_MAX = 100;

const TransferParams = z.object({ id: Id });

export const TransferVersion = z
  .object({
    version: z.int().describe('1 is the first one.'),
    startedAt: Instant.describe('When it replaced the version before it.'),
    fileCount: z.int(),
    totalSize: z.int().describe('Bytes of all files.'),
  })
  .describe('What a transfer contained from one update to the next.');
export type TransferVersion = z.infer<typeof TransferVersion>;

const DraftId = Id.optional().describe(
  'From `beginUpdate`. If another update has discarded that draft since, the call is refused. Without it, the call is for whichever draft there is.',
);

export const beginUpdate = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/updates',
  access: 'signed-in',
  summary: 'Prepare the next version of a transfer, or continue to prepare it',
  description:
    'Announce and complete new files with `draftId` as their transfer. They stay invisible until `publishUpdate`. A transfer has one such draft at a time; like every draft, it ends after 24 hours without activity.',
  params: TransferParams,
  query: z.object({
    anew: z
      .enum(['true', 'false'])
      .optional()
      .describe('Begin with an empty draft, and discard the one that there is in the same step.'),
  }),
  response: z.object({
    draftId: z.string().describe('The transfer to which the new files are uploaded.'),
    version: z.int().describe('The current version, which `publishUpdate` needs.'),
  }),
});

export const planUpdate = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/updates/changes',
  access: 'signed-in',
  summary: 'Say which files the next version removes, or keeps under another name',
  description:
    'Adds to the changes planned so far. A file that is planned under another path keeps its bytes, which need not be sent again; plan its removal as well if it moved. Files may also come from earlier versions of the same transfer.',
  params: TransferParams,
  body: z
    .strictObject({
      draftId: DraftId,
      removed: z
        .array(Id)
        .max(MAX_FILES_PER_CALL)
        .default([])
        .describe('Ids of files of the current version.'),
      reused: z
        .array(
          z.strictObject({
            fileId: Id,
            relativePath: z
              .string()
              .min(1, 'A file needs a name')
              .max(4_096)
              .refine(isStorableText, 'This file name is not valid text.'),
          }),
        )
        .max(MAX_FILES_PER_CALL)
        .default([]),
    })
    .describe('Up to 1,000 removed and 1,000 reused files.'),
  bodyLimit: 8 * MIB,
  response: 'empty',
});

export const StagedFile = z.object({
  uploadId: z.string(),
  relativePath: z.string(),
  size: z.int().describe('Bytes.'),
  isComplete: z.boolean(),
});
export type StagedFile = z.infer<typeof StagedFile>;

export const listStagedFiles = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/updates/files',
  access: 'signed-in',
  summary: 'The files announced for the next version, so that an interrupted update can continue',
  params: TransferParams,
  query: FilesQuery,
  paged: true,
  response: z.array(StagedFile).max(FILES_PER_PAGE),
});

export const publishUpdate = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/updates/publish',
  access: 'signed-in',
  idempotent: true,
  summary: 'Replace the current version of a transfer by the prepared one, all at once',
  description:
    'Link, settings, counts and recipients stay. The version that ends remains downloadable until the transfer expires. Nobody is mailed.',
  params: TransferParams,
  body: z.strictObject({
    version: z.int().min(1).describe('The version that the update is based on.'),
    draftId: DraftId,
  }),
  response: TransferVersion,
});

export const discardUpdate = defineEndpoint({
  method: 'DELETE',
  path: '/api/transfers/:id/updates',
  access: 'signed-in',
  summary: 'Discard the prepared version and the files sent for it',
  params: TransferParams,
  query: z.object({ draftId: Id.optional().describe('Discard only this draft.') }),
  response: 'empty',
});

const Versions = z.array(TransferVersion).max(VERSIONS_MAX).describe('Newest first.');

export const listVersions = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/versions',
  access: 'signed-in',
  summary: 'The versions of a transfer, newest first',
  params: TransferParams,
  response: Versions,
});

const ShareParams = z.object({ token: ShareToken });

export const listDownloadVersions = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/versions',
  access: 'public',
  summary: 'The versions of a shared transfer, newest first',
  description: 'Same access rules as a download.',
  params: ShareParams,
  response: Versions,
});

const VersionParams = ShareParams.extend({
  version: z.string().describe('The number of the version.'),
});

export const listVersionFiles = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/versions/:version/files',
  access: 'public',
  summary: 'The files of one version of a transfer, 1,000 per page',
  description: 'Download one with `downloadFile`. Files of earlier versions have no previews.',
  params: VersionParams,
  query: FilesQuery,
  paged: true,
  compressible: true,
  response: z.array(TransferFile).max(FILES_PER_PAGE),
});

export const downloadVersion = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/versions/:version/all',
  access: 'public',
  summary: 'All files of one version as a zip',
  description: 'Counts as one download of the transfer and one of each file in it.',
  params: VersionParams,
  query: z.object({
    r: Id.optional().catch(undefined).describe('The token of a recipient’s personal link.'),
  }),
  response: 'stream',
});
