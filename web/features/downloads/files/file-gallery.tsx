import { useMemo } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { Gallery } from '../../../components/media/gallery.tsx';
import type { FileActions } from './file-actions.ts';
import { FileTick } from './file-tick.tsx';
import { isPreviewable, isWithheld, thumbnailUrlOf } from './media.ts';
import type { FileChoice } from './use-file-choice.ts';

type FileGalleryProps = FileActions & { shown: readonly TransferFile[]; choice: FileChoice };

/** The files as pictures; pressing one does what its line in the list does. */
export function FileGallery({ shown, choice, ...actions }: FileGalleryProps) {
  const { share, downloads, isDisabled, onPreview, onDetails } = actions;
  const byId = useMemo(() => new Map(shown.map((file) => [file.id, file])), [shown]);
  const open = (id: string) => {
    const file = byId.get(id)!;
    if (isPreviewable(file)) return onPreview(file);
    if (isDisabled || isWithheld(file)) return onDetails(file);
    void downloads.start({ path: fileDownloadPath(share.token, id, share.recipientToken), isZip: false });
  };
  return (
    <Gallery
      label="Files"
      items={shown.map((file) => toItem(share.token, file))}
      onOpen={open}
      renderCorner={
        isDisabled ? undefined : ({ id }) => <FileTick file={byId.get(id)!} choice={choice} shown={shown} />
      }
    />
  );
}

function toItem(token: string, file: TransferFile) {
  return {
    id: file.id,
    name: file.originalName,
    mimeType: file.mimeType,
    thumbnailUrl: thumbnailUrlOf(token, file),
    details: formatSize(file.size),
  };
}
