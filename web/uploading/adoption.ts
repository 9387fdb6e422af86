import { isWhole } from '../../client/upload-plan.ts';
import type { UnfinishedUpload } from '../../contracts/uploads.ts';
import { fingerprint, type UploadItem } from './upload-item.ts';

/**
 * Has chosen files continue the unfinished uploads they were; returns the uploads no file was found for.
 * A file that `isUnchanged` doubts is sent again from its beginning, into the same upload.
 */
export function matchUnfinished(
  items: readonly UploadItem[],
  unfinished: UnfinishedUpload[],
  isUnchanged: (item: UploadItem) => boolean,
): UnfinishedUpload[] {
  const waiting = new Map<string, UnfinishedUpload[]>();
  for (const upload of unfinished) {
    const print = fingerprint({ ...upload, size: upload.fileSize });
    waiting.set(print, [...(waiting.get(print) ?? []), upload]);
  }
  for (const item of items) {
    if (item.uploadId) continue;
    const upload = waiting.get(fingerprint(item))?.shift();
    if (!upload) continue;
    item.uploadId = upload.uploadId;
    item.direct = upload.direct ?? false;
    item.received = new Set(isUnchanged(item) ? upload.receivedChunks : []);
    if (isWhole(item)) item.phase = 'sent';
  }
  return [...waiting.values()].flat();
}
