import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { use } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { ArrivingBytes } from './use-arrival.ts';

/** How much of a file has arrived, in place of its size. */
export function ArrivingNote({ file }: { file: TransferFile }) {
  const arriving = use(ArrivingBytes);
  const receivedBytes = arriving?.receivedBytes.get(file.id) ?? file.receivedBytes ?? 0;
  const amount = t`${formatSize(receivedBytes)} of ${formatSize(file.size)}`;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {receivedBytes === 0 ? (
          <Trans>Arriving · {formatSize(file.size)}</Trans>
        ) : (
          <Trans>Arriving · {amount}</Trans>
        )}
      </span>
      <ProgressBar
        size="sm"
        label={t`Arrival of ${file.originalName}`}
        value={file.size === 0 ? 1 : receivedBytes / file.size}
        valueText={amount}
        className="max-w-32 min-w-16 grow"
      />
    </span>
  );
}
