import type { ReactNode } from 'react';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { TransferDetail } from '../../../contracts/transfers/transfers.ts';
import { countOf } from '../../../contracts/values/format.ts';
import { transferPage } from '../../../contracts/values/pages.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { FileIcon } from '../../components/data/file-icon.tsx';
import { ProgressBar } from '../../components/feedback/progress-bar.tsx';
import { Surface } from '../../components/layout/surface.tsx';
import { useRelativeTime } from '../../lib/time/relative-time.ts';

/** A ready transfer that files are added to. */
export type AddTarget = Pick<
  TransferDetail,
  'id' | 'title' | 'createdAt' | 'fileCount' | 'totalSize' | 'expiresAt' | 'files'
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
          Adding to “{nameTransfer(target)}”
        </h2>
        <p className="tabular mt-2 text-sm text-ink-soft" data-testid="held">
          {countOf(fileCount, 'file')}, {formatSize(totalSize)} in it
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
            <span>Room in this transfer</span>
            <span>{formatSize(Math.max(0, limitBytes - totalSize))} left</span>
          </p>
          <ProgressBar
            label="Used of this transfer"
            value={Math.min(1, totalSize / limitBytes)}
            valueText={`${formatSize(totalSize)} of ${formatSize(limitBytes)}`}
            state={totalSize >= limitBytes ? 'failed' : 'done'}
            size="sm"
          />
        </div>
        <p className="mt-6 text-sm text-ink-soft">
          Link, expiry and everything else stay as they are, and nobody is mailed again.
        </p>
        <div className="mt-6 flex flex-col gap-3">
          {children}
          <LinkButton to={transferPage(id)} variant="ghost" className="w-full">
            Back to the transfer
          </LinkButton>
        </div>
      </Surface>
    </form>
  );
}

function ExpiresIn({ expiresAt }: { expiresAt: string }) {
  return <>expires {useRelativeTime(expiresAt)}</>;
}

function HeldFiles({ target: { files, fileCount } }: { target: AddTarget }) {
  const more = fileCount - Math.min(files.length, NAMED_FILES);
  return (
    <ul aria-label="Files in it" className="mt-4 flex flex-col gap-2 border-t border-line pt-4">
      {files.slice(0, NAMED_FILES).map(({ id, originalName, mimeType, size }) => (
        <li key={id} className="flex items-center gap-2.5 text-sm">
          <FileIcon fileName={originalName} mimeType={mimeType} className="size-4 shrink-0 text-ink-faint" />
          <span className="min-w-0 grow truncate" title={originalName}>
            {originalName}
          </span>
          <span className="tabular shrink-0 text-ink-faint">{formatSize(size)}</span>
        </li>
      ))}
      {more > 0 && <li className="text-sm text-ink-faint">and {countOf(more, 'file')} more</li>}
    </ul>
  );
}
