import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { MAX_FILES_PER_TRANSFER } from '../plans/limits.ts';
import { Email, Id, Instant, ShareToken } from '../values/fields.ts';
import { KIB } from '../values/sizes.ts';
import { acceptPlainPassword, SETTINGS_BODY_LIMIT, TransferSettings } from './transfers.ts';

/**
 * Transfers whose link works before all files have arrived (docs/decisions/0043). Recipients can download while the
 * sender is still uploading.
 */

/** How often clients should ask for the progress. */
export const ARRIVAL_POLL_MS = 2_000;

/** With the value 1, the client resumes by itself when the server ends a response that waits for bytes. */
export const RESUMES_HEADER = 'sendwell-resumes';

export const ARRIVING_FILES_SHOWN = 100;

export const ArrivalProgress = z
  .object({
    status: z
      .enum(['arriving', 'stopped', 'ready'])
      .describe(
        '`arriving`: the sender is uploading, or may go on. `stopped`: nothing arrived for two days, so the files cannot be downloaded until the sender goes on. `ready`: everything has arrived.',
      ),
    receivedBytes: z.int().describe('Bytes of all files that the server has stored.'),
    totalBytes: z.int().describe('Bytes of all announced files.'),
    fileCount: z.int().describe('Announced files.'),
    arrivedFiles: z.int().describe('Files that have arrived completely.'),
    bytesPerSecond: z
      .int()
      .describe('How fast bytes arrived in the last seconds. 0 if none did, or if it is not known yet.'),
    secondsLeft: z.int().nullable().describe('At this speed. Null if it is not known.'),
    lastActivityAt: Instant.nullable().describe(
      'When bytes arrived last, within a minute. Null if nothing has to arrive any more.',
    ),
    startsEarly: z
      .boolean()
      .describe(
        'Whether a file can be downloaded while it is arriving. If not, it can be downloaded once it has arrived completely.',
      ),
    listVersion: z
      .string()
      .describe(
        'Changes when files arrived completely, or were added or withdrawn. Then fetch the list again.',
      ),
    files: z
      .array(
        z.object({
          id: z.string(),
          receivedBytes: z.int(),
          availableBytes: z
            .int()
            .describe('How many bytes from the beginning of the file can be downloaded without waiting.'),
        }),
      )
      .max(ARRIVING_FILES_SHOWN)
      .describe('The first files that have not arrived completely, at most 100, by `position`.'),
  })
  .describe('How much of a transfer has arrived.');
export type ArrivalProgress = z.infer<typeof ArrivalProgress>;

export const publishTransfer = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/publish',
  access: 'signed-in',
  idempotent: true,
  summary: 'Share the link of a transfer before its files have arrived',
  description:
    'Announce all files first, then publish with the settings that the first completion would otherwise carry. Recipients can then download while the files arrive. From then on, a stored chunk cannot be replaced: the same chunk with other bytes is refused with 409 `chunk_differs`. For a file that has changed, cancel its upload and announce it again. Complete each upload as soon as all its chunks are stored; the last completion makes the transfer `ready`, its expiry counts from then, and its recipients are emailed. Publishing again changes no settings; after `stopped`, it opens the link again.',
  params: z.object({ id: Id }),
  body: acceptPlainPassword(
    TransferSettings.extend({
      expectedFiles: z
        .int()
        .min(1)
        .max(MAX_FILES_PER_TRANSFER)
        .describe('How many files you have announced. Refused with 409 if the server knows fewer.'),
    }),
  ),
  bodyLimit: SETTINGS_BODY_LIMIT,
  response: z.object({
    token: z.string().describe('The token of the share link.'),
    transfer: z.object({ id: z.string() }),
    status: z.enum(['arriving', 'ready']).describe('`ready` if all files had arrived already.'),
  }),
});

const Conditional =
  'Answers with an `ETag`; a request with `If-None-Match` gets 304 while nothing has changed. Ask every 2 seconds.';

export const viewArrival = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/arrival',
  access: 'public',
  summary: 'How much of a transfer has arrived',
  description: `${Conditional} Refused like a download: 423 for a locked transfer, 410 for an expired one. Never counts as a view.`,
  params: z.object({ token: ShareToken }),
  compressible: true,
  response: ArrivalProgress,
});

/** Addresses per transfer. */
export const ARRIVAL_NOTICES_MAX = 50;

export const ArrivalNoticeInput = z.strictObject({ email: Email });

export const askForArrivalNotice = defineEndpoint({
  method: 'POST',
  path: '/api/download/:token/arrival-notices',
  access: 'public',
  summary: 'Ask for an email when a transfer has arrived completely',
  description:
    'Only while the files are arriving; after that it is refused with 409 `already_arrived`. One email is sent to each address, also if it was asked for several times or the sender mails the same address. None is sent if the upload is never completed. At most 50 addresses per transfer. Refused like a download: 423 for a locked transfer, 410 for an expired one.',
  params: z.object({ token: ShareToken }),
  body: ArrivalNoticeInput,
  bodyLimit: 64 * KIB,
  response: 'empty',
});

/** Most recent downloads shown to the sender. */
export const READERS_SHOWN = 100;

export const Reader = z
  .object({
    id: z.string(),
    recipientEmail: z.string().nullable().describe('Null for the shared link.'),
    fileId: z.string().nullable().describe('Null for a zip.'),
    startedAt: Instant,
    completedAt: Instant.nullable(),
    isActive: z.boolean().describe('Whether it is running now.'),
    sentBytes: z.int().describe('Bytes sent so far. A few seconds old if another server process sends them.'),
    sizeBytes: z.int(),
  })
  .describe('A download of a transfer and how far it is.');
export type Reader = z.infer<typeof Reader>;

export const viewReaders = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/arrival',
  access: 'signed-in',
  summary: 'How much of your transfer has arrived, and how far its recipients are',
  description: Conditional,
  params: z.object({ id: Id }),
  response: z.object({
    arrival: ArrivalProgress,
    readers: z.array(Reader).max(READERS_SHOWN).describe('The last 100 downloads, newest first.'),
  }),
});

export const ARRIVING_TRANSFERS_SHOWN = 100;

export const listArriving = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/arriving',
  access: 'signed-in',
  summary: 'Your transfers whose link works although files are still arriving, newest first, at most 100',
  response: z
    .array(
      z.object({
        id: z.string(),
        token: z.string(),
        title: z.string().nullable(),
        firstFileName: z.string().nullable(),
        publishedAt: Instant,
        fileCount: z.int().describe('Announced files.'),
        arrivedFiles: z.int(),
        totalSize: z.int().describe('Bytes of all announced files.'),
        isStopped: z.boolean().describe('Whether nothing arrived for two days and the link is closed.'),
      }),
    )
    .max(ARRIVING_TRANSFERS_SHOWN),
});
