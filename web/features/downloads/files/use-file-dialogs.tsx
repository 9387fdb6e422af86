import { type ReactNode, useMemo, useState } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { Lightbox } from '../../../components/media/lightbox.tsx';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { type FileActions, listLightboxItems } from './file-actions.ts';

type FileDialogsInput = Pick<FileActions, 'share' | 'downloads' | 'isDisabled'> & {
  files: TransferFile[];
  refresh: () => Promise<unknown>;
};

const useDetails = lateModule(() => import('./file-details.tsx'), { isLikely: true });

/** The details dialog and the lightbox: functions that open them, and their elements. */
export function useFileDialogs({ files, refresh, ...input }: FileDialogsInput) {
  const [detailsId, setDetailsId] = useState<string>();
  const [previewId, setPreviewId] = useState<string | null>(null);
  const [among, setAmong] = useState<readonly TransferFile[]>(files);
  const details = useDetails(detailsId !== undefined);
  const { share, downloads, isDisabled } = input;
  const items = useMemo(() => listLightboxItems(share.token, among), [share.token, among]);
  const download = (id: string) =>
    void downloads.start({ path: fileDownloadPath(share.token, id, share.recipientToken), isZip: false });
  const actions: FileActions = {
    ...input,
    onDetails: ({ id }) => setDetailsId(id),
    onPreview: ({ id }, shown = files) => {
      setAmong(shown);
      setPreviewId(id);
    },
  };
  const dialogs: ReactNode = (
    <>
      {details && (
        <details.FileDetails
          {...{ share, downloads, isDisabled, refresh }}
          // Looked up on each render, so that updates show.
          file={files.find(({ id }) => id === detailsId)}
          onClose={() => setDetailsId(undefined)}
        />
      )}
      <Lightbox
        items={items}
        openId={previewId}
        onOpenChange={setPreviewId}
        onDownload={isDisabled ? undefined : download}
      />
    </>
  );
  return { actions, dialogs };
}
