import { addressOf } from '../../../../contracts/endpoint.ts';
import { previewFile, showThumbnail } from '../../../../contracts/transfers/previews.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import type { LightboxItem } from '../../../components/media/lightbox.tsx';
import type { Downloads } from '../download/use-downloads.ts';
import type { ShareAddress } from '../share-address.ts';

/** What can be done with the files of an open transfer, for every line and tile that shows one. */
export type FileActions = {
  share: ShareAddress;
  downloads: Downloads;
  /** Nothing can be downloaded any more: names are no links then. */
  isDisabled: boolean;
  /** Opens what there is to know about a file. */
  onDetails: (file: TransferFile) => void;
  /** Opens the lightbox on these files, by default all of the transfer. */
  onPreview: (file: TransferFile, among?: readonly TransferFile[]) => void;
};

/** Where the small picture of a file is; undefined without one. */
export function thumbnailUrlOf(token: string, file: TransferFile): string | undefined {
  return file.thumbnail ? addressOf(showThumbnail.path, { token, fileId: file.id }) : undefined;
}

/** Whether a file can be looked at without downloading it. */
export function isPreviewable(file: TransferFile): boolean {
  return file.preview !== null && !isWithheld(file);
}

/** What the lightbox shows of these files, in their order; those that cannot be looked at are left out. */
export function listLightboxItems(token: string, files: readonly TransferFile[]): LightboxItem[] {
  return files.flatMap((file) => {
    if (!file.preview || !isPreviewable(file)) return [];
    return {
      id: file.id,
      name: file.originalName,
      kind: file.preview,
      previewUrl: addressOf(previewFile.path, { token, fileId: file.id }),
      thumbnailUrl: thumbnailUrlOf(token, file),
      sizeBytes: file.size,
    };
  });
}

/** Whether it cannot be downloaded, or not yet. */
export function isWithheld({ isDamaged, isChecking }: TransferFile): boolean {
  return isDamaged || isChecking;
}
