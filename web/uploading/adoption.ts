import { isWhole } from '../../client/upload-plan.ts';
import type { UnfinishedUpload } from '../../contracts/transfers/uploads.ts';
import { createArrivedItem, fingerprint, type UploadItem } from './upload-item.ts';

/**
 * Matches selected files with the unfinished uploads they continue. A file that `isUnchanged` doubts is sent again
 * from its beginning, into the same upload. Uploads without a file are `missing`, or `arrived` if they need none.
 */
export function matchUnfinished(
  items: readonly UploadItem[],
  unfinished: UnfinishedUpload[],
  isUnchanged: (item: UploadItem) => boolean,
): { arrived: UploadItem[]; missing: UnfinishedUpload[] } {
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
  const rest = [...waiting.values()].flat();
  return {
    arrived: rest.filter(hasArrived).map(createArrivedItem),
    missing: rest.filter((upload) => !hasArrived(upload)),
  };
}

/** Whether the server has every chunk. */
export function hasArrived({ receivedChunks, totalChunks }: UnfinishedUpload): boolean {
  return receivedChunks.length >= totalChunks;
}
