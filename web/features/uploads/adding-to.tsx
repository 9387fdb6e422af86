import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { transferPage } from '../../../contracts/values/addresses/pages.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { FileIcon } from '../../components/data/file-icon.tsx';
import { ProgressBar } from '../../components/feedback/progress-bar.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { useRelativeTime } from '../../lib/time/relative-time.ts';

/** A ready transfer that files are added to. */
export type AddTarget = Pick<
  TransferDetail,
  'id' | 'title' | 'createdAt' | 'fileCount' | 'totalSize' | 'expiresAt' | 'files' | 'encryption'
>;

/** Files that are listed by name. */
const NAMED_FILES = 5;

type AddingToProps = {
  target: AddTarget;
  /** Bytes per transfer. */
  limitBytes: number;
  onSubmit: () => void;
  /** The button that starts the upload. */
  children: ReactNode;
};

/** The transfer that files are added to: its files, and the space left. */
export function AddingTo({ target, limitBytes, onSubmit, children }: AddingToProps) {
  const { id, fileCount, totalSize, expiresAt } = target;
  return (
    <form
      aria-labelledby="adding-to"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <Surface>
        <h2 id="adding-to" className="text-xl wrap-anywhere">
          <Trans>Adding to “{nameTransfer(target)}”</Trans>
        </h2>
        <p className="tabular mt-2 text-sm text-ink-soft" data-testid="held">
          <Trans>
            <Plural value={fileCount} one="# file" other="# files" />, {formatSize(totalSize)}
          </Trans>
          {expiresAt && (
            <>
              {' · '}
              <ExpiresIn expiresAt={expiresAt} />
            </>
          )}
        </p>
        <HeldFiles target={target} />
        <div className="mt-6 flex flex-col gap-2" data-testid="room-left">
          <p className="tabular flex justify-between text-sm text-ink-soft">
            <span>
              <Trans>Space in this transfer</Trans>
            </span>
            <span>
              <Trans>{formatSize(Math.max(0, limitBytes - totalSize))} left</Trans>
            </span>
          </p>
          <ProgressBar
            label={t`Used space in this transfer`}
            value={Math.min(1, totalSize / limitBytes)}
            valueText={t`${formatSize(totalSize)} of ${formatSize(limitBytes)}`}
            state={totalSize >= limitBytes ? 'failed' : 'done'}
            size="sm"
          />
        </div>
        <p className="mt-6 text-sm text-ink-soft">
          <Trans>The link, the expiry and other settings stay the same, and nobody is emailed again.</Trans>
        </p>
        <div className="mt-6 flex flex-col gap-3">
          {children}
          <LinkButton to={transferPage(id)} variant="ghost" className="w-full">
            <Trans>Back to the transfer</Trans>
          </LinkButton>
        </div>
      </Surface>
    </form>
  );
}

function ExpiresIn({ expiresAt }: { expiresAt: string }) {
  return <Trans>expires {useRelativeTime(expiresAt)}</Trans>;
}

function HeldFiles({ target: { files, fileCount } }: { target: AddTarget }) {
  const more = fileCount - Math.min(files.length, NAMED_FILES);
  return (
    <ul aria-label={t`Files in this transfer`} className="mt-4 flex flex-col gap-2 border-t border-line pt-4">
      {files.slice(0, NAMED_FILES).map(({ id, originalName, mimeType, size }) => (
        <li key={id} className="flex items-center gap-2.5 text-sm">
          <FileIcon fileName={originalName} mimeType={mimeType} className="size-4 shrink-0 text-ink-faint" />
          <span className="min-w-0 grow truncate" title={originalName}>
            {originalName}
          </span>
          <span className="tabular shrink-0 text-ink-faint">{formatSize(size)}</span>
        </li>
      ))}
      {more > 0 && (
        <li className="text-sm text-ink-faint">
          {plural(more, { one: 'and # more file', other: 'and # more files' })}
        </li>
      )}
    </ul>
  );
}
