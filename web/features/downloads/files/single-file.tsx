import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Info } from 'lucide-react';
import { useId } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { FileIcon } from '../../../components/data/file-icon.tsx';
import { Thumbnail } from '../../../components/media/thumbnail.tsx';
import { DownloadSign } from './download-sign.tsx';
import { type FileActions, isPreviewable, thumbnailUrlOf } from './file-actions.ts';
import { useArrivingNote } from './file-item.tsx';
import { FileName } from './file-name.tsx';

/** The only file of a transfer, shown large. */
export function SingleFile({ file, ...actions }: FileActions & { file: TransferFile }) {
  const describedBy = useId();
  const arrivingNote = useArrivingNote(file.state === 'arriving');
  return (
    <section>
      <h2 className="sr-only">
        <Trans>File</Trans>
      </h2>
      <div className="group relative flex items-center gap-5 rounded-xl border border-line-firm bg-surface p-5 transition-colors duration-(--quick) hover:border-edge hover:bg-raised sm:gap-7 sm:p-8">
        <Picture token={actions.share.token} file={file} />
        <div className="min-w-0 grow">
          <FileName
            {...actions}
            {...{ file, describedBy }}
            isWhole
            className="font-heading text-xl wrap-anywhere sm:text-2xl"
          />
          <div id={describedBy} className="tabular mt-1.5 text-ink-soft">
            {file.state === 'arriving' && arrivingNote ? (
              <arrivingNote.ArrivingNote file={file} />
            ) : (
              `${formatSize(file.size)} · ${plural(file.downloadCount, { one: '# download', other: '# downloads' })}`
            )}
          </div>
          {file.isChecking && (
            <p className="mt-1 text-sm text-ink-faint">
              <Trans>Checking for malware…</Trans>
            </p>
          )}
          {file.isDamaged && (
            <p className="mt-1 text-sm text-danger-ink">
              <Trans>Damaged. Ask the sender to send it again.</Trans>
            </p>
          )}
        </div>
        <div className="flex shrink-0 items-center gap-1 max-sm:-mr-2 max-sm:flex-col">
          {isPreviewable(file) && (
            <IconButton
              label={t`Details of ${file.originalName}`}
              icon={<Info />}
              tooltip="none"
              className="z-1"
              onClick={() => actions.onDetails(file)}
            />
          )}
          <DownloadSign file={file} size="md" {...actions} />
        </div>
      </div>
    </section>
  );
}

function Picture({ token, file }: { token: string; file: TransferFile }) {
  const src = thumbnailUrlOf(token, file);
  if (src)
    return (
      <Thumbnail
        src={src}
        name={file.originalName}
        mimeType={file.mimeType}
        box="size-16 rounded-md sm:size-24"
      />
    );
  return (
    <span className="grid size-16 shrink-0 place-items-center rounded-full bg-accent-wash sm:size-24 [&_svg]:size-8 [&_svg]:text-accent-ink sm:[&_svg]:size-11">
      <FileIcon fileName={file.originalName} mimeType={file.mimeType} />
    </span>
  );
}
