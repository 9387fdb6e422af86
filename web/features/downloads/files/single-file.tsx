import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download, Info } from 'lucide-react';
import { useId } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { iconButtonClasses } from '../../../components/actions/button-style.ts';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { FileIcon } from '../../../components/data/file-icon.tsx';
import { Thumbnail } from '../../../components/media/thumbnail.tsx';
import { classNames } from '../../../lib/class-names.ts';
import { DownloadLink } from '../download/download-link.tsx';
import { type FileActions, isPreviewable, isWithheld, thumbnailUrlOf } from './file-actions.ts';
import { FileName } from './file-name.tsx';

/** The only file of a transfer, shown large. */
export function SingleFile({ file, ...actions }: FileActions & { file: TransferFile }) {
  const describedBy = useId();
  const isActive = isPreviewable(file) || !(actions.isDisabled || isWithheld(file));
  return (
    <section>
      <h2 className="sr-only">
        <Trans>File</Trans>
      </h2>
      <div
        className={classNames(
          'group relative flex items-center gap-5 rounded-xl border border-line-firm bg-surface p-5 transition-colors duration-(--quick) sm:gap-7 sm:p-8',
          isActive && 'hover:border-edge hover:bg-raised',
        )}
      >
        <Picture token={actions.share.token} file={file} />
        <div className="min-w-0 grow">
          <FileName
            {...actions}
            {...{ file, describedBy }}
            className="font-heading text-xl wrap-anywhere sm:text-2xl"
          />
          <p id={describedBy} className="tabular mt-1.5 text-ink-soft">
            {formatSize(file.size)} ·{' '}
            {plural(file.downloadCount, { one: '# download', other: '# downloads' })}
          </p>
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
          <IconButton
            label={t`Details of ${file.originalName}`}
            icon={<Info />}
            tooltip="none"
            className="z-1"
            onClick={() => actions.onDetails(file)}
          />
          <DownloadSign file={file} {...actions} />
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

function DownloadSign({ file, ...actions }: FileActions & { file: TransferFile }) {
  if (actions.isDisabled || isWithheld(file)) return null;
  const sign = <Download aria-hidden="true" strokeWidth={1.75} className="size-6" />;
  if (!isPreviewable(file))
    return (
      <span className="grid size-11 place-items-center text-ink-faint group-hover:text-accent-ink max-sm:hidden">
        {sign}
      </span>
    );
  return (
    <DownloadLink {...actions} file={file} className={iconButtonClasses('ghost', 'md', 'z-1')}>
      <span className="sr-only">
        <Trans>Download {file.originalName}</Trans>
      </span>
      {sign}
    </DownloadLink>
  );
}
