import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { classNames } from '../../../lib/class-names.ts';
import { DownloadLink } from '../download/download-link.tsx';
import { type FileActions, isPreviewable, isWithheld } from './file-actions.ts';

type FileNameProps = FileActions & {
  file: TransferFile;
  /** The id of the element with details. */
  describedBy: string;
  className: string;
};

/** Its click area covers the nearest positioned ancestor: a row, a card. */
const STRETCHED =
  'after:absolute after:inset-0 after:rounded-[inherit] focus-visible:outline-none focus-visible:after:outline-2 ' +
  'focus-visible:after:-outline-offset-2 focus-visible:after:outline-ink';

/** Opens the preview if the file has one, otherwise downloads it. */
export function FileName({ file, describedBy, className, ...actions }: FileNameProps): ReactNode {
  const { isDisabled, onPreview } = actions;
  if (isPreviewable(file))
    return (
      <button
        type="button"
        aria-describedby={describedBy}
        className={classNames(className, STRETCHED, 'text-left')}
        onClick={() => onPreview(file)}
      >
        <span className="sr-only">
          <Trans>Preview</Trans>{' '}
        </span>
        {file.originalName}
      </button>
    );
  if (isDisabled || isWithheld(file)) return <span className={className}>{file.originalName}</span>;
  return (
    <DownloadLink
      {...actions}
      file={file}
      aria-describedby={describedBy}
      className={classNames(className, STRETCHED)}
    >
      <span className="sr-only">
        <Trans>Download</Trans>{' '}
      </span>
      {file.originalName}
    </DownloadLink>
  );
}
