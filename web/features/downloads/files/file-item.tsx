import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Info } from 'lucide-react';
import { useId } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { Thumbnail } from '../../../components/media/thumbnail.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { lateModule } from '../../../lib/loading/late-module.ts';
import { FileTick } from './choosing/file-tick.tsx';
import type { FileChoice } from './choosing/use-file-choice.ts';
import { DownloadSign } from './download-sign.tsx';
import { type FileActions, isPreviewable, thumbnailUrlOf } from './file-actions.ts';
import { FileName } from './file-name.tsx';

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

export const useArrivingNote = lateModule(() => import('../arrival/arriving-note.tsx'));

/** A row. Clicking anywhere in it previews the file or opens its details; only the icon downloads it. */
export function FileItem({ file, folder, hasPictures, choice, shown, ...actions }: FileItemProps) {
  const describedBy = useId();
  const arrivingNote = useArrivingNote(file.state === 'arriving');
  const { share, isDisabled, onDetails } = actions;
  return (
    <div className="group relative -mx-3 flex min-h-14 items-center gap-3 rounded-sm px-3 py-2 transition-colors duration-(--quick) hover:bg-hover">
      {!isDisabled && <FileTick {...{ file, choice, shown }} className="-my-2 -ml-2" />}
      <Thumbnail
        src={thumbnailUrlOf(share.token, file)}
        name={file.originalName}
        mimeType={file.mimeType}
        // Phones lack the room; the file name's extension says the same.
        className={classNames('-mx-1', !hasPictures && 'max-sm:hidden')}
      />
      <div className="min-w-0 grow">
        <FileName {...actions} {...{ file, describedBy }} className="w-full" />
        <div id={describedBy} className="tabular text-sm text-ink-faint sm:truncate">
          {file.isDamaged ? (
            <span className="text-danger-ink">
              <Trans>Damaged. Ask the sender to send it again.</Trans>
            </span>
          ) : file.isChecking ? (
            t`Checking for malware…`
          ) : file.state === 'arriving' && arrivingNote ? (
            <arrivingNote.ArrivingNote file={file} />
          ) : (
            `${formatSize(file.size)} · ${plural(file.downloadCount, { one: '# download', other: '# downloads' })}`
          )}
        </div>
        {folder && (
          <p className="truncate text-sm text-ink-faint" title={folder}>
            <Trans>
              in <bdi>{folder}</bdi>
            </Trans>
          </p>
        )}
      </div>
      {isPreviewable(file) && (
        <IconButton
          label={t`Details of ${file.originalName}`}
          icon={<Info />}
          size="sm"
          tooltip="none"
          className="z-1 -mr-1"
          onClick={() => onDetails(file)}
        />
      )}
      <DownloadSign file={file} size="sm" {...actions} />
    </div>
  );
}
