import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, Info } from 'lucide-react';
import { useId } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { fileDownloadPath } from '../../../../contracts/values/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { iconButtonClasses } from '../../../components/actions/button-style.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { Thumbnail } from '../../../components/media/thumbnail.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { DownloadLink } from '../download/download-link.tsx';
import { type FileActions, isPreviewable, isWithheld, thumbnailUrlOf } from './file-actions.ts';
import { FileName } from './file-name.tsx';
import { FileTick } from './file-tick.tsx';
import type { FileChoice } from './use-file-choice.ts';

type FileItemProps = FileActions & {
  file: TransferFile;
  /** Shown if the list has no folders. */
  folder: string;
  /** Some of the files have thumbnails. */
  hasPictures: boolean;
  choice: FileChoice;
  /** All visible files in their order. */
  shown: readonly TransferFile[];
};

/** A row. Clicking anywhere in it downloads or previews the file. */
export function FileItem({ file, folder, hasPictures, choice, shown, ...actions }: FileItemProps) {
  const describedBy = useId();
  const { share, isDisabled, onDetails } = actions;
  const isActive = isPreviewable(file) || !(isDisabled || isWithheld(file));
  return (
    <div
      className={classNames(
        'group relative -mx-3 flex min-h-14 items-center gap-3 rounded-sm px-3 py-2 transition-colors duration-(--quick)',
        isActive && 'hover:bg-hover',
      )}
    >
      {!isDisabled && <FileTick {...{ file, choice, shown }} className="-my-2 -ml-2" />}
      <Thumbnail
        src={thumbnailUrlOf(share.token, file)}
        name={file.originalName}
        mimeType={file.mimeType}
        // Phones lack the room; the file name's extension says the same.
        className={classNames('-mx-1', !hasPictures && 'max-sm:hidden')}
      />
      <div className="min-w-0 grow">
        <FileName
          {...actions}
          {...{ file, describedBy }}
          className="line-clamp-2 wrap-anywhere sm:line-clamp-1"
        />
        <p id={describedBy} className="tabular text-sm text-ink-faint sm:truncate">
          {file.isDamaged ? (
            <span className="text-danger-ink">
              <Trans>Damaged. Ask the sender to send it again.</Trans>
            </span>
          ) : file.isChecking ? (
            t`Checking for malware…`
          ) : (
            `${formatSize(file.size)} · ${plural(file.downloadCount, { one: '# download', other: '# downloads' })}`
          )}
        </p>
        {folder && (
          <p className="truncate text-sm text-ink-faint" title={folder}>
            <Trans>in {folder}</Trans>
          </p>
        )}
      </div>
      <IconButton
        label={t`Details of ${file.originalName}`}
        icon={<Info />}
        size="sm"
        tooltip="none"
        className="z-1 -mr-1"
        onClick={() => onDetails(file)}
      />
      {!isDisabled && !isWithheld(file) && <DownloadSign file={file} {...actions} />}
    </div>
  );
}

/** An icon for the row's action. Where the row opens a preview, it is the download link. */
function DownloadSign({ file, ...actions }: FileActions & { file: TransferFile }) {
  const { share, downloads } = actions;
  const isPreparing = downloads.isPreparing(fileDownloadPath(share.token, file.id, share.recipientToken));
  const sign = isPreparing ? (
    <Spinner className="size-5" />
  ) : (
    <Download aria-hidden="true" strokeWidth={1.75} className="size-5" />
  );
  if (!isPreviewable(file))
    return (
      <span className="grid size-9 shrink-0 place-items-center text-ink-faint group-hover:text-accent-ink max-sm:hidden">
        {sign}
      </span>
    );
  return (
    <DownloadLink {...actions} file={file} className={iconButtonClasses('ghost', 'sm', 'z-1')}>
      <span className="sr-only">
        <Trans>Download {file.originalName}</Trans>
      </span>
      {sign}
    </DownloadLink>
  );
}
