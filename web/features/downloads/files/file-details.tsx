import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { buttonClasses } from '../../../components/actions/button-style.ts';
import { CopyButton } from '../../../components/actions/copy-button.tsx';
import { Dialog } from '../../../components/dialogs/dialog.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { formatLongDateTime } from '../../../lib/time/format-dates.ts';
import { DownloadLink } from '../download/download-link.tsx';
import { useRefreshWhile } from '../states/use-refresh-while.ts';
import { folderOf } from './arrange-files.ts';
import { type FileActions, isComputing, isWithheld } from './file-actions.ts';
import { ShareFile } from './share-file.tsx';

type FileDetailsProps = Pick<FileActions, 'share' | 'downloads' | 'isDisabled'> & {
  /** undefined: closed. */
  file: TransferFile | undefined;
  onClose: () => void;
  refresh: () => Promise<unknown>;
};

/** Details of a file, with its checksum. */
export function FileDetails({ file, onClose, refresh, isDisabled, ...actions }: FileDetailsProps) {
  useRefreshWhile(file !== undefined && isComputing(file), refresh);
  return (
    <Dialog
      isOpen={file !== undefined}
      onOpenChange={onClose}
      title={t`File details`}
      {...(file &&
        !isDisabled &&
        !isWithheld(file) && {
          footer: (
            <DownloadLink {...actions} file={file} className={buttonClasses('primary', 'md')}>
              <Trans>Download</Trans>
            </DownloadLink>
          ),
        })}
    >
      {file && <Facts file={file} />}
      {file && (
        <ShareFile
          key={file.id}
          file={file}
          share={actions.share}
          isDisabled={isDisabled}
          onCounted={refresh}
          className="mt-6"
        />
      )}
    </Dialog>
  );
}

function Facts({ file }: { file: TransferFile }) {
  const folder = folderOf(file);
  return (
    <dl className="flex flex-col gap-4">
      <Fact name={t`Name`}>
        <bdi>{file.originalName}</bdi>
      </Fact>
      {folder && (
        <Fact name={t`Folder`}>
          <bdi>{folder}</bdi>
        </Fact>
      )}
      <Fact name={t`Size`}>
        {formatSize(file.size)}
        {file.size >= 1024 && (
          <span className="text-ink-faint">
            {' '}
            <Trans>({formatCount(file.size)} bytes)</Trans>
          </span>
        )}
      </Fact>
      {file.modifiedAt !== null && <Fact name={t`Modified`}>{formatLongDateTime(file.modifiedAt)}</Fact>}
      <Fact name={t`Uploaded`}>{formatLongDateTime(file.uploadedAt)}</Fact>
      <Fact name="SHA-256">
        <Checksum file={file} />
      </Fact>
    </dl>
  );
}

function Checksum({ file }: { file: TransferFile }) {
  if (file.isDamaged)
    return (
      <span className="text-danger-ink">
        <Trans>Damaged. Ask the sender to send it again.</Trans>
      </span>
    );
  if (file.sha256 === null)
    return (
      <span role="status" className="flex items-center gap-2 text-ink-soft">
        <Spinner className="size-4" /> <Trans>Still being computed</Trans>
      </span>
    );
  return (
    <span className="flex items-start gap-2">
      <code className="min-w-0 grow font-mono text-sm leading-relaxed break-all">{file.sha256}</code>
      <CopyButton
        isIconOnly
        label={t`Copy SHA-256`}
        size="sm"
        text={file.sha256}
        onCopied={() => toast({ title: t`Copied!` })}
      />
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-ink-faint">{name}</dt>
      <dd className="tabular wrap-anywhere">{children}</dd>
    </div>
  );
}
