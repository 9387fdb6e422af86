import { ApiError } from '../../../client/api-error.ts';
import type { SendOptions, Stored } from '../../../client/chunk-sender.ts';
import { UnreadableFileError } from '../../../client/retries.ts';
import { announceAccepted, type ChunkTask, isStoredAlready } from '../../../client/upload-plan.ts';
import { MAX_FILES_PER_CALL } from '../../../contracts/plans/limits.ts';
import { publishTransfer } from '../../../contracts/transfers/arrival.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import {
  abortUploads,
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
import { BucketSender, sendChunk } from './chunk-transfer.ts';
import type { ReadRequest } from './crc32.worker.ts';
import workerUrl from './crc32.worker.ts?worker&url';
import { FileWorker } from './file-worker.ts';
import type { ReadChunk } from './read-chunk.ts';
import type { Sealing } from './sealing.ts';
import type { UploadItem } from './upload-item.ts';

export type Announcement = {
  transferId: string | undefined;
  files: UploadRequest[];
  /** Makes the new transfer end-to-end encrypted. */
  encryption?: NewEncryption | undefined;
  /** The same for all attempts, so that one whose answer was lost is not made twice. */
  idempotencyKey: string;
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
  /** Uploads that no longer exist are ignored. */
  abort(uploadIds: readonly string[]): Promise<void>;
  /** Deletes a draft with its unfinished uploads. */
  discard(transferId: string, uploadIds: string[]): Promise<void>;
}

/** With `invitationToken` the files are a visitor's. Visitors can't delete a draft, so its uploads are aborted. */
export function createBrowserTransport({
  invitationToken,
}: {
  invitationToken?: string;
} = {}): UploadTransport {
  const query = { invitationToken };
  const bucket = new BucketSender();
  const reader = new FileWorker<ReadRequest, ReadChunk>(workerUrl);
  const abort = async (uploadIds: readonly string[]) => {
    for (let start = 0; start < uploadIds.length; start += MAX_FILES_PER_CALL) {
      const body = { uploadIds: uploadIds.slice(start, start + MAX_FILES_PER_CALL) };
      await call(abortUploads, { query, body }).catch((error: unknown) => {
        // Servers of 0.1.0 lack the call and discard such uploads in time. Remove this one release later.
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      });
    }
  };
  return {
    announce: ({ files, idempotencyKey, ...body }) =>
      announceAccepted(files, (accepted) =>
        call(initUploads, { query, body: { ...body, files: accepted }, idempotencyKey }),
      ),
    send: async ({ file: item, index, start, end }, options, sealing) => {
      if (!item.file) throw new UnreadableFileError();
      const { fileId = '', size: plainBytes } = item;
      const seal = sealing && { key: sealing.contentKey, fileId, plainBytes, start };
      const chunk = await reader.run({ slice: item.file.slice(start, end), seal });
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
    abort,
    discard: (id, uploadIds) =>
      invitationToken === undefined ? call(deleteTransfer, { params: { id } }) : abort(uploadIds),
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
    announce: async ({ files, idempotencyKey }) => {
      const session = await announceAccepted(files, ([file]) =>
        call(initUpload, { query: {}, body: { ...file!, transferId, repairs: fileId }, idempotencyKey }),
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
