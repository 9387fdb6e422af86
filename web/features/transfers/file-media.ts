import { addressOf } from '../../../client/call.ts';
import { previewOwnFile, showOwnThumbnail } from '../../../contracts/transfers/previews.ts';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import type { LightboxItem } from '../../components/lightbox-item.ts';

/** Where the sender's own small picture of a file is; undefined without one. */
export function thumbnailUrlOf(transferId: string, file: TransferFile): string | undefined {
  if (!file.thumbnail) return undefined;
  return addressOf(showOwnThumbnail.path, { id: transferId, fileId: file.id });
}

/** What the sender can look at, in the order of the files. */
export function listLightboxItems(transferId: string, files: TransferFile[]): LightboxItem[] {
  return files.flatMap((file) => {
    if (!file.preview) return [];
    return {
      id: file.id,
      name: file.originalName,
      kind: file.preview,
      previewUrl: addressOf(previewOwnFile.path, { id: transferId, fileId: file.id }),
      thumbnailUrl: thumbnailUrlOf(transferId, file),
      sizeBytes: file.size,
    };
  });
}
