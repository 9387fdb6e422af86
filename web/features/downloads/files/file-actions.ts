import { t } from '@lingui/core/macro';
import { addressOf } from '../../../../contracts/endpoint.ts';
import {
  countPdfPages,
  previewFile,
  showThumbnail,
} from '../../../../contracts/transfers/downloads/previews.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import type { LightboxItem } from '../../../components/media/lightbox.tsx';
import type { Downloads } from '../download/use-downloads.ts';
import type { ShareAddress } from '../share-address.ts';

/** Actions on files, shared by rows and tiles. */
export type FileActions = {
  share: ShareAddress;
  downloads: Downloads;
  /** Downloading is no longer possible, so names are not links. */
  isDisabled: boolean;
  /** Opens the file's details. */
  onDetails: (file: TransferFile) => void;
  /** Opens the lightbox on `among`, by default all files. */
  onPreview: (file: TransferFile, among?: readonly TransferFile[]) => void;
};

/** URL of the thumbnail; undefined without one. */
export function thumbnailUrlOf(token: string, file: TransferFile): string | undefined {
  return file.thumbnail ? addressOf(showThumbnail.path, { token, fileId: file.id }) : undefined;
}

/** Whether the file has a preview. */
export function isPreviewable(file: TransferFile): boolean {
  return file.preview !== null && !isWithheld(file);
}

export function isPhoto({ preview, mimeType }: TransferFile): boolean {
  return preview === null ? mimeType.startsWith('image/') : preview === 'image';
}

/** What a click on the file does. It never downloads, so that no download is used up. */
export function nameFileAction(file: TransferFile): string {
  const name = file.originalName;
  return isPreviewable(file) ? t`Preview ${name}` : t`Details of ${name}`;
}

/** The lightbox items of the files that have a preview, in their order. */
export function listLightboxItems(token: string, files: readonly TransferFile[]): LightboxItem[] {
  return files.flatMap((file) => {
    if (!file.preview || !isPreviewable(file)) return [];
    return {
      id: file.id,
      name: file.originalName,
      kind: file.preview,
      previewUrl: addressOf(previewFile.path, { token, fileId: file.id }),
      pagesUrl: addressOf(countPdfPages.path, { token, fileId: file.id }),
      thumbnailUrl: thumbnailUrlOf(token, file),
      sizeBytes: file.size,
    };
  });
}

/** Whether it cannot be downloaded (yet). */
export function isWithheld({ isDamaged, isChecking }: TransferFile): boolean {
  return isDamaged || isChecking;
}

/** Whether its checksum is still being computed. */
export function isComputing({ sha256, isDamaged }: TransferFile): boolean {
  return sha256 === null && !isDamaged;
}
