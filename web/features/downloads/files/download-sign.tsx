import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { use } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/addresses/links.ts';
import { iconButtonClasses } from '../../../components/actions/button-style.ts';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { ArrivingBytes } from '../arrival/use-arrival.ts';
import { DownloadLink } from '../download/download-link.tsx';
import { type FileActions, isWithheld } from './file-actions.ts';

type DownloadSignProps = FileActions & { file: TransferFile; size: 'sm' | 'md' };

/** The icon that downloads a file; nothing if it cannot be downloaded. */
export function DownloadSign({ file, size, ...actions }: DownloadSignProps) {
  const { share, downloads, isDisabled } = actions;
  const arriving = use(ArrivingBytes);
  const isEarly = file.state === 'arriving' && arriving?.startsEarly === false;
  if (isDisabled || isEarly || isWithheld(file)) return null;
  const isPreparing = downloads.isPreparing(fileDownloadPath(share.token, file.id, share.recipientToken));
  return (
    <DownloadLink {...actions} file={file} className={iconButtonClasses('ghost', size, 'z-1')}>
      <span className="sr-only">
        <Trans>Download {file.originalName}</Trans>
      </span>
      {isPreparing ? <Spinner className="size-5" /> : <Download aria-hidden="true" strokeWidth={1.75} />}
    </DownloadLink>
  );
}
