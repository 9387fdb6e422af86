import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ArrowRight, Check, FilePlus2, FolderUp, Play, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { addFilesPage } from '../../../contracts/values/addresses/pages.ts';
import { formatCount } from '../../../contracts/values/format.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/actions/button.tsx';
import { LinkButton } from '../../components/actions/link-button.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { ProgressRing } from '../../components/feedback/progress-ring.tsx';
import { useRelativeTime } from '../../lib/time/relative-time.ts';
import { canReopen, type PickKind } from '../files/picked-files.ts';
import type { Resuming } from '../upload-store.ts';
import type { UnfinishedTransfer } from './unfinished-transfers.ts';

type UnfinishedUploadsProps = {
  transfers: readonly UnfinishedTransfer[];
  /** The page adds files to the transfer; other pages link to it instead of resuming. */
  isAdding: boolean;
  /** Reopens the files with the handles stored on this device. */
  onContinue: (transfer: UnfinishedTransfer) => Promise<void>;
  /** Lets the user select the same files again. */
  onChoose: (transfer: UnfinishedTransfer, kind: PickKind) => void;
  /** Completes a transfer whose files have all arrived. */
  onFinish: (transfer: UnfinishedTransfer) => void;
  onDiscard: (transfers: UnfinishedTransfer[]) => Promise<void>;
};

/** Uploads from earlier visits, to resume, finish or discard. */
export function UnfinishedUploads({ transfers, onDiscard, ...actions }: UnfinishedUploadsProps) {
  // Kept while the dialog fades out.
  const [discarded, setDiscarded] = useState<UnfinishedTransfer[]>([]);
  const [isConfirming, setConfirming] = useState(false);
  const [isBusy, setBusy] = useState(false);
  if (transfers.length === 0) return null;
  const idle = transfers.filter(({ isElsewhere }) => !isElsewhere);
  const confirmDiscard = (transfersToDiscard: UnfinishedTransfer[]) => {
    setDiscarded(transfersToDiscard);
    setConfirming(true);
  };
  const discard = async () => {
    setBusy(true);
    await onDiscard(discarded);
    setBusy(false);
    setConfirming(false);
  };
  return (
    <section aria-labelledby="unfinished-uploads" data-testid="unfinished-uploads">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="unfinished-uploads" className="text-xl">
          <Trans>Unfinished uploads</Trans>
        </h2>
        {idle.length > 1 && (
          <Button variant="ghost" size="sm" icon={<Trash2 />} onClick={() => confirmDiscard(idle)}>
            <Trans>Discard all</Trans>
          </Button>
        )}
      </div>
      <ul className="mt-2 divide-y divide-line border-y border-line">
        {transfers.map((transfer) => (
          <UnfinishedRow
            key={transfer.transferId}
            transfer={transfer}
            onDiscard={() => confirmDiscard([transfer])}
            {...actions}
          />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={isConfirming}
        onOpenChange={() => setConfirming(false)}
        {...describeDiscard(discarded)}
        isDestructive
        isBusy={isBusy}
        onConfirm={discard}
      />
    </section>
  );
}

function describeDiscard([first, ...others]: UnfinishedTransfer[]) {
  if (others.length === 0)
    return {
      title: t`Discard this upload?`,
      description: t`“${first?.title ?? ''}” and all of its uploaded data will be deleted. This cannot be undone.`,
      confirmLabel: t`Discard upload`,
    };
  const count = formatCount(others.length + 1);
  return {
    title: t`Discard ${count} uploads?`,
    description: t`All of their uploaded data will be deleted. This cannot be undone.`,
    confirmLabel: t`Discard ${count} uploads`,
  };
}

type UnfinishedRowProps = Pick<
  UnfinishedUploadsProps,
  'isAdding' | 'onContinue' | 'onChoose' | 'onFinish'
> & {
  transfer: UnfinishedTransfer;
  onDiscard: () => void;
};

function UnfinishedRow({ transfer, isAdding, onDiscard, ...actions }: UnfinishedRowProps) {
  const { title, uploads, totalBytes, receivedBytes, hasArrived, lastActivityAt, isElsewhere, isUnreadable } =
    transfer;
  const belongsElsewhere = transfer.addsTo !== null && !isAdding;
  const since = useRelativeTime(lastActivityAt);
  const share = hasArrived ? 1 : receivedBytes / Math.max(1, totalBytes);
  const needsFiles = !hasArrived && !canContinue(transfer) && !isUnreadable;
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-4 py-4">
      <ProgressRing label={t`Upload progress of ${title}`} value={share} state="stopped" diameter={48}>
        <span className="tabular text-xs" aria-hidden="true">
          {Math.floor(share * 100)}%
        </span>
      </ProgressRing>
      <div className="min-w-48 grow basis-0">
        <p className="truncate font-medium" title={title}>
          {title}
        </p>
        <p className="tabular text-sm text-ink-soft">
          {plural(uploads.length, { one: '# file', other: '# files' })},{' '}
          {hasArrived
            ? t`all ${formatSize(totalBytes)} uploaded`
            : t`${formatSize(receivedBytes)} of ${formatSize(totalBytes)} uploaded`}
        </p>
        {transfer.addsTo && belongsElsewhere && (
          <p className="line-clamp-2 text-sm wrap-anywhere text-ink-soft">
            <Trans>Adding to “{nameTransfer(transfer.addsTo)}”</Trans>
          </p>
        )}
        <p className="text-sm text-ink-faint">
          {describeInterruption({ since, isElsewhere, needsFiles: needsFiles && !belongsElsewhere })}
        </p>
        {isUnreadable && (
          <p className="text-sm text-ink-soft">
            <Trans>It is encrypted, and its key is not in this browser. Continue where you began it.</Trans>
          </p>
        )}
      </div>
      {!isElsewhere && (
        <div className="flex flex-wrap gap-2">
          {belongsElsewhere ? (
            <LinkButton
              to={addFilesPage(transfer.transferId)}
              size="sm"
              icon={<ArrowRight />}
              aria-label={t`Continue adding ${title}`}
            >
              <Trans>Continue adding</Trans>
            </LinkButton>
          ) : (
            !isUnreadable && <ResumeButtons transfer={transfer} {...actions} />
          )}
          <Button
            variant="ghost"
            size="sm"
            icon={<Trash2 />}
            aria-label={t`Discard ${title}`}
            onClick={onDiscard}
          >
            <Trans>Discard</Trans>
          </Button>
        </div>
      )}
    </li>
  );
}

type ResumeButtonsProps = Pick<UnfinishedRowProps, 'transfer' | 'onContinue' | 'onChoose' | 'onFinish'>;

function ResumeButtons({ transfer, onContinue, onChoose, onFinish }: ResumeButtonsProps) {
  if (transfer.hasArrived)
    return (
      <Button
        size="sm"
        icon={<Check />}
        aria-label={t`Finish ${transfer.title}`}
        onClick={() => onFinish(transfer)}
      >
        <Trans>Finish</Trans>
      </Button>
    );
  if (canContinue(transfer)) return <ContinueButton transfer={transfer} onContinue={onContinue} />;
  return <ChooseButtons transfer={transfer} onChoose={onChoose} />;
}

/** Whether this device stored handles of its files. */
function canContinue({ record }: UnfinishedTransfer): boolean {
  return (record?.roots.length ?? 0) > 0;
}

function ContinueButton({ transfer, onContinue }: Pick<UnfinishedRowProps, 'transfer' | 'onContinue'>) {
  const [isBusy, setBusy] = useState(false);
  const [isGranted, setGranted] = useState(true);
  const { roots } = transfer.record!;
  useEffect(() => {
    void canReopen(roots).then(setGranted);
  }, [roots]);
  const run = async () => {
    setBusy(true);
    await onContinue(transfer);
    setBusy(false);
  };
  return (
    <Button
      size="sm"
      icon={<Play />}
      isBusy={isBusy}
      aria-label={t`Continue ${transfer.title}`}
      title={isGranted ? undefined : t`Your browser will ask for permission to read the files again.`}
      onClick={run}
    >
      <Trans>Continue</Trans>
    </Button>
  );
}

function ChooseButtons({ transfer, onChoose }: Pick<UnfinishedRowProps, 'transfer' | 'onChoose'>) {
  const isInFolder = (path: string) => path.includes('/');
  const hasFolders = transfer.uploads.some(({ relativePath }) => isInFolder(relativePath));
  const hasFiles = transfer.uploads.some(({ relativePath }) => !isInFolder(relativePath));
  return (
    <>
      {hasFiles && (
        <Button
          size="sm"
          icon={<FilePlus2 />}
          aria-label={t`Choose files: ${transfer.title}`}
          onClick={() => onChoose(transfer, 'files')}
        >
          <Trans>Choose files</Trans>
        </Button>
      )}
      {hasFolders && (
        <Button
          size="sm"
          icon={<FolderUp />}
          aria-label={t`Choose folder: ${transfer.title}`}
          onClick={() => onChoose(transfer, 'folder')}
        >
          <Trans>Choose folder</Trans>
        </Button>
      )}
    </>
  );
}

const NAMED_FILES = 3;

type ResumeNoticeProps = {
  resuming: Resuming;
  /** Label of the button that sends everything again. */
  anewLabel: string;
  /** Every byte is on the server. */
  hasArrived: boolean;
  onDropMissing: () => void;
  /** Absent if some files exist only on the server. */
  onStartAnew: (() => void) | undefined;
};

/** Says that the selected files resume an earlier upload, and which of its files are missing. */
export function ResumeNotice({
  resuming: { transfer, missing },
  anewLabel,
  hasArrived,
  onDropMissing,
  onStartAnew,
}: ResumeNoticeProps) {
  return (
    <div
      role="status"
      data-testid="resume-notice"
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg border border-line-firm px-5 py-4"
    >
      <div className="min-w-56 grow basis-0">
        <p className="font-medium">
          <Trans>Continuing “{transfer.title}”</Trans>
        </p>
        <p className="text-sm text-ink-soft">
          {missing.length === 0
            ? hasArrived
              ? t`All files are uploaded. You only need to finish.`
              : t`Only the missing parts are sent.`
            : t`${plural(missing.length, { one: '# file', other: '# files' })} still to be chosen: ${formatNames(missing.map(({ fileName }) => fileName))}`}
        </p>
        {transfer.record?.hadPassword && (
          <p className="text-sm text-ink-soft">
            <Trans>The password was not saved. Please enter it again.</Trans>
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        {missing.length > 0 && (
          <Button variant="secondary" size="sm" onClick={onDropMissing}>
            <Trans>Continue without {missing.length === 1 ? 'it' : 'them'}</Trans>
          </Button>
        )}
        {onStartAnew && (
          <Button variant="ghost" size="sm" onClick={onStartAnew}>
            {anewLabel}
          </Button>
        )}
      </div>
    </div>
  );
}

type Interruption = { since: string; isElsewhere: boolean; needsFiles: boolean };

function describeInterruption({ since, isElsewhere, needsFiles }: Interruption): string {
  if (isElsewhere) return t`Uploading in another window`;
  return needsFiles
    ? t`Interrupted ${since}. Choose the same files again to continue.`
    : t`Interrupted ${since}`;
}

function formatNames(names: string[]): string {
  const shown = names.slice(0, NAMED_FILES).join(', ');
  const more = names.length - NAMED_FILES;
  return more > 0 ? t`${shown} and ${formatCount(more)} more` : shown;
}
