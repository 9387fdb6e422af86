import { deleteTransfer } from '../../../contracts/transfers.ts';
import {
  abortUpload,
  type CompletedUpload,
  completeUploads,
  initUploads,
  listUploads,
  type TransferSettingsInput,
  type UnfinishedUpload,
  type UploadRequest,
  type UploadSession,
} from '../../../contracts/uploads.ts';
import { call } from '../../api/call.ts';
import type { ChunkTask } from './chunk-queue.ts';
import { ChunkReader } from './chunk-reader.ts';
import { sendChunk } from './send-chunk.ts';

export type SendOptions = { signal: AbortSignal; onProgress(sentBytes: number): void };
export type Announcement = { transferId: string | undefined; files: UploadRequest[] };
export type Completion = {
  transferId: string;
  uploadIds: string[];
  fileCount: number;
  settings: TransferSettingsInput;
};

/** What the engine needs of the world outside; all of it may throw ApiError or NetworkError. */
export interface UploadTransport {
  announce(input: Announcement): Promise<{ transferId: string; uploads: UploadSession[] }>;
  /** Also throws UnreadableFileError. */
  send(task: ChunkTask, options: SendOptions): Promise<void>;
  complete(input: Completion): Promise<CompletedUpload>;
  listUnfinished(): Promise<UnfinishedUpload[]>;
  abort(uploadId: string): Promise<void>;
  /** Deletes a draft with all its uploads. */
  discard(transferId: string): Promise<void>;
}

/** The server, over the browser's own connections. */
export function createBrowserTransport(): UploadTransport {
  let reader: ChunkReader | undefined;
  return {
    announce: (body) => call(initUploads, { body }),
    send: async ({ item, index, start, end }, options) => {
      reader ??= new ChunkReader();
      const chunk = await reader.read(item.file.slice(start, end));
      options.signal.throwIfAborted();
      await sendChunk({ uploadId: item.uploadId!, index }, chunk, options);
    },
    complete: ({ settings, ...body }) => call(completeUploads, { body: { ...settings, ...body } }),
    listUnfinished: () => call(listUploads),
    abort: (uploadId) => call(abortUpload, { params: { uploadId } }),
    discard: (id) => call(deleteTransfer, { params: { id } }),
  };
}
