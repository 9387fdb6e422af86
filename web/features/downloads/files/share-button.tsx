import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Share2 } from 'lucide-react';
import { useState } from 'react';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { Button } from '../../../components/actions/button.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import type { ShareFileProps } from './share-file.tsx';

export function ShareButton({
  file,
  share,
  onCounted,
}: Pick<ShareFileProps, 'file' | 'share' | 'onCounted'>) {
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
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
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
