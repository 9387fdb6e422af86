import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Share2 } from 'lucide-react';
import { useState } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/links.ts';
import { MIB } from '../../../../contracts/values/sizes.ts';
import { Button } from '../../../components/actions/button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { classNames } from '../../../lib/class-names.ts';
import { type FileActions, isPreviewable } from './file-actions.ts';

/** Apps get the whole file from this page's memory. */
const SHARED_BYTES_MAX = 50 * MIB;

type ShareFileProps = Pick<FileActions, 'share' | 'isDisabled'> & {
  file: TransferFile;
  /** Called after the download was counted. */
  onCounted: () => unknown;
  className?: string;
};

/** Hands the file to another app, where the browser can. Fetching it counts as a download. */
export function ShareFile({ file, isDisabled, ...props }: ShareFileProps) {
  const isOffered = !isDisabled && isPreviewable(file) && file.size <= SHARED_BYTES_MAX && canShare(file);
  return isOffered ? <ShareButton file={file} {...props} /> : null;
}

function ShareButton({ file, share, onCounted, className }: Omit<ShareFileProps, 'isDisabled'>) {
  const [isFetching, setFetching] = useState(false);
  // Kept, because sharing again must not count again.
  const [fetched, setFetched] = useState<File>();
  const fetchFile = async () => {
    setFetching(true);
    try {
      const answer = await fetch(fileDownloadPath(share.token, file.id, share.recipientToken));
      if (!answer.ok) throw new Error(await answer.text());
      const whole = new File([await answer.blob()], file.originalName, { type: file.mimeType });
      setFetched(whole);
      return whole;
    } finally {
      setFetching(false);
      onCounted();
    }
  };
  const start = async () => {
    try {
      await navigator.share({ files: [fetched ?? (await fetchFile())] });
    } catch (error) {
      // Closing the system's dialog is not an error.
      if (error instanceof DOMException && error.name === 'AbortError') return;
      // The click was too long ago: the next one has the file at hand.
      if (error instanceof DOMException && error.name === 'NotAllowedError') return;
      toast({
        title: t`Download failed`,
        description: t`Failed to download file. Please try again.`,
        variant: 'destructive',
      });
    }
  };
  return (
    <div className={classNames('flex flex-wrap items-center gap-x-4 gap-y-2', className)}>
      <Button variant="secondary" size="sm" icon={<Share2 />} isBusy={isFetching} onClick={start}>
        {fetched ? t`Share now` : t`Share file…`}
      </Button>
      <p className="text-sm text-ink-faint">
        {fetched ? (
          <Trans>The file is ready to be shared.</Trans>
        ) : (
          <Trans>Sharing counts as a download.</Trans>
        )}
      </p>
    </div>
  );
}

/** Browsers decide by name and type. */
function canShare({ originalName, mimeType: type }: TransferFile): boolean {
  return navigator.canShare?.({ files: [new File([], originalName, { type })] }) ?? false;
}
