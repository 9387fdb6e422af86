import { ApiError } from '../../../client/api-error.ts';
import type { SendOptions, Stored } from '../../../client/chunk-sender.ts';
import { UnreadableFileError } from '../../../client/retries.ts';
import { announceAccepted, type ChunkTask, isStoredAlready } from '../../../client/upload-plan.ts';
import { publishTransfer } from '../../../contracts/transfers/arrival.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  abortUpload,
  type CompletedUpload,
  completeUploads,
  initUpload,
  initUploads,
  listUploads,
  type NewEncryption,
  type TransferSettingsInput,
  type UnfinishedUpload,
  type UploadRequest,
  type UploadSession,
} from '../../../contracts/transfers/uploads/uploads.ts';
import { fetchPages } from '../../../contracts/values/paging.ts';
import { call, callPage } from '../../api/call.ts';
import { BucketSender, ChunkReader, sendChunk } from './chunk-transfer.ts';
import type { Sealing } from './sealing.ts';
import type { UploadItem } from './upload-item.ts';

/** Browsers open six connections per host. */
const ABORTS_AT_ONCE = 6;

export type Announcement = {
  transferId: string | undefined;
  files: UploadRequest[];
  /** Makes the new transfer end-to-end encrypted. */
  encryption?: NewEncryption | undefined;
};
export type Completion = {
  transferId: string;
  uploadIds: string[];
  fileCount: number;
  settings: TransferSettingsInput;
};

export type Publication = { transferId: string; fileCount: number; settings: TransferSettingsInput };

/** The engine's access to the server. Every method throws ApiError and NetworkError. */
export interface UploadTransport {
  announce(
    input: Announcement,
  ): Promise<{ transferId: string; token?: string | undefined; uploads: UploadSession[] }>;
  /** With `sealing` the chunk is encrypted. Also throws UnreadableFileError. */
  send(task: ChunkTask<UploadItem>, options: SendOptions, sealing?: Sealing): Promise<Stored>;
  complete(input: Completion): Promise<CompletedUpload>;
  /** Shares the link while files arrive. Absent where nobody may. */
  publish?(input: Publication): Promise<{ token: string }>;
  listUnfinished(): Promise<UnfinishedUpload[]>;
  abort(uploadId: string): Promise<void>;
  /** Deletes a draft with its unfinished uploads. */
  discard(transferId: string, uploadIds: string[]): Promise<void>;
}

/** With `invitationToken` the files are a visitor's. Visitors can't delete a draft, so its uploads are aborted one by one. */
export function createBrowserTransport({
  invitationToken,
}: {
  invitationToken?: string;
} = {}): UploadTransport {
  const query = { invitationToken };
  const bucket = new BucketSender();
  let reader: ChunkReader | undefined;
  return {
    announce: ({ files, ...body }) =>
      announceAccepted(files, (accepted) => call(initUploads, { query, body: { ...body, files: accepted } })),
    send: async ({ file: item, index, start, end }, options, sealing) => {
      if (!item.file) throw new UnreadableFileError();
      reader ??= new ChunkReader();
      const { fileId = '', size: plainBytes } = item;
      const seal = sealing && { key: sealing.contentKey, fileId, plainBytes, start };
      const chunk = await reader.read(item.file.slice(start, end), seal);
      options.signal.throwIfAborted();
      const to = { uploadId: item.uploadId!, index, invitationToken };
      const isStored = item.direct && (await bucket.send(to, chunk, options));
      const stored = isStored
        ? undefined
        : await sendChunk(to, chunk, options).catch((error: unknown) => {
            if (!sealing || !isStoredAlready(error)) throw error;
          });
      sealing?.recordChunk(fileId, index, chunk.plainCrc);
      return stored;
    },
    complete: ({ settings, ...body }) => call(completeUploads, { query, body: { ...settings, ...body } }),
    ...(invitationToken === undefined && {
      publish: ({ transferId: id, fileCount: expectedFiles, settings }: Publication) =>
        call(publishTransfer, { params: { id }, body: { ...settings, expectedFiles } }),
    }),
    listUnfinished: () => listAllUploads(query),
    abort: (uploadId) => call(abortUpload, { query, params: { uploadId } }),
    discard: (id, uploadIds) =>
      invitationToken === undefined
        ? call(deleteTransfer, { params: { id } })
        : abortAll(uploadIds, (uploadId) => call(abortUpload, { query, params: { uploadId } })),
  };
}

/** Replaces the bytes of a damaged file in a ready transfer. */
export function createRepairTransport({
  transferId,
  fileId,
}: {
  transferId: string;
  fileId: string;
}): UploadTransport {
  return {
    ...createBrowserTransport(),
    announce: async ({ files }) => {
      const session = await announceAccepted(files, ([file]) =>
        call(initUpload, { query: {}, body: { ...file!, transferId, repairs: fileId } }),
      );
      return { transferId, uploads: [session] };
    },
  };
}

async function listAllUploads(query: { invitationToken: string | undefined }): Promise<UnfinishedUpload[]> {
  const fetchPage = (cursor?: string) => callPage(listUploads, { query: { ...query, cursor } });
  const { items, nextCursor } = await fetchPage();
  const uploads = [...items];
  for await (const page of fetchPages(nextCursor, fetchPage)) uploads.push(...page);
  return uploads;
}

/** Limited, because browsers can't hold thousands of requests. Uploads that no longer exist are ignored. */
async function abortAll(uploadIds: string[], abort: (uploadId: string) => Promise<void>): Promise<void> {
  const waiting = [...uploadIds];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await abort(next).catch((error: unknown) => {
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: ABORTS_AT_ONCE }, work));
}
