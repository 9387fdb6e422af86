import type { Readable } from 'node:stream';
import { planChunks } from '../../../../contracts/plans/limits.ts';
import type { TextSettings } from '../../../../contracts/transfers/settings/text-settings.ts';
import { type CompletedUpload, UploadRequest } from '../../../../contracts/transfers/uploads/uploads.ts';
import { formatModificationTime } from '../../../../contracts/values/modification-times.ts';
import type { Context } from '../../../context.ts';
import type { UploadRow } from '../../../platform/db/schema.ts';
import { invalidInput } from '../../../platform/http/routing/invalid-input.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { chunkInterrupted } from '../../../platform/storage/receive-chunk.ts';
import { storeBytes } from '../chunks/append-bytes.ts';
import type { Sender } from '../chunks/upload-gate.ts';
import { announceUploads } from '../core/announcements.ts';
import { completeUploads, type SplitSettings, splitTextSettings } from '../core/completion.ts';
import { discardUpload } from '../core/unfinished-uploads.ts';
import { scopeOf, type Uploader } from '../core/uploader.ts';
import { bufferUnsizedBody } from './unsized-body.ts';

export type PutFile = {
  /** May include folders, separated by '/'. */
  path: string;
  mimeType: string | undefined;
  /** Epoch milliseconds. */
  modifiedAt: number | undefined;
  stream: Readable;
  declaredBytes: number | undefined;
  receivedBytes: Sender['receivedBytes'];
  settings: TextSettings;
  folder: string;
};

export type SentUpload = CompletedUpload & { upload: UploadRow };

/**
 * Receives one file in one request, all or nothing. Leaves the rest of the body unread on failure. Throws AppError
 * `invalid_input`, `chunk_cut_short`, and what announcing, storing and completing throw.
 */
export async function receivePutFile(
  context: Context,
  uploader: Uploader,
  file: PutFile,
): Promise<SentUpload> {
  const sorted = await splitTextSettings(context, uploader, file.settings);
  const { declaredBytes, stream: body, folder } = file;
  if (declaredBytes !== undefined)
    return sendFile(context, uploader, { ...file, ...sorted, sizeBytes: declaredBytes });
  const buffered = await bufferUnsizedBody(context, { uploader, stream: body, folder });
  try {
    const stream = buffered.read();
    const sized = { ...file, ...sorted, stream, sizeBytes: buffered.sizeBytes };
    return await sendFile(context, uploader, { ...sized, receivedBytes: () => stream.bytesRead });
  } finally {
    await buffered.drop();
  }
}

type SizedFile = Omit<PutFile, 'settings' | 'declaredBytes' | 'folder'> &
  SplitSettings & { sizeBytes: number };

async function sendFile(
  context: Context,
  uploader: Uploader,
  { sizeBytes, stream, receivedBytes, target, requested, ...file }: SizedFile,
): Promise<SentUpload> {
  const files = [describeFile(file, sizeBytes)];
  const [upload] = await announceUploads(context, uploader, { files, ...target });
  try {
    const bytes = { upload: upload!, offset: 0, stream, declaredBytes: sizeBytes, receivedBytes };
    const end = await storeBytes(context, { ...bytes, scope: scopeOf(uploader) });
    if (end < sizeBytes)
      throw stream.destroyed ? new AppError('chunk_cut_short') : chunkInterrupted(undefined);
    const completion = { uploadIds: [upload!.id], transferId: undefined, ...requested };
    return { ...(await completeUploads(context, uploader, completion)), upload: upload! };
  } catch (error) {
    await discardUpload(context, upload!, { cause: 'refused' });
    throw error;
  }
}

function describeFile(
  { path, mimeType, modifiedAt }: Pick<PutFile, 'path' | 'mimeType' | 'modifiedAt'>,
  fileSize: number,
): UploadRequest {
  const parsed = UploadRequest.safeParse({
    fileName: path.slice(path.lastIndexOf('/') + 1),
    relativePath: path,
    mimeType,
    fileSize,
    totalChunks: planChunks(fileSize).totalChunks,
    modifiedAt: modifiedAt === undefined ? undefined : formatModificationTime(modifiedAt),
  });
  if (!parsed.success) throw invalidInput(parsed.error);
  return parsed.data;
}
