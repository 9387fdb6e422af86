import { ArrowRight, Check, FilePlus2, FolderUp, Play, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { nameTransfer } from '../../contracts/transfers/names.ts';
import { addFilesPage } from '../../contracts/values/pages.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { Button } from '../components/button.tsx';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { ProgressRing } from '../components/progress-ring.tsx';
import { useRelativeTime } from '../lib/relative-time.ts';
import type { PickKind } from './choose-files.ts';
import { canReopen } from './reopen-files.ts';
import type { UnfinishedTransfer } from './unfinished-transfers.ts';
import { countFiles } from './upload-words.ts';

type UnfinishedUploadsProps = {
  transfers: UnfinishedTransfer[];
  /** The page adds to the transfer that these are to join; elsewhere they only lead to it. */
  isAdding: boolean;
  /** Opens the files again by the handles this device kept. */
  onContinue: (transfer: UnfinishedTransfer) => Promise<void>;
  /** Lets the person choose the same files once more. */
  onChoose: (transfer: UnfinishedTransfer, kind: PickKind) => void;
  /** Completes a transfer of which everything has arrived. */
  onFinish: (transfer: UnfinishedTransfer) => void;
  onDiscard: (transfers: UnfinishedTransfer[]) => Promise<void>;
};

/** Uploads of earlier visits, to be continued, finished or discarded. */
export function UnfinishedUploads({ transfers, onDiscard, ...actions }: UnfinishedUploadsProps) {
  // They stay while the question fades out.
  const [doomed, setDoomed] = useState<UnfinishedTransfer[]>([]);
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  if (transfers.length === 0) return null;
  const idle = transfers.filter(({ isElsewhere }) => !isElsewhere);
  const ask = (asked: UnfinishedTransfer[]) => {
    setDoomed(asked);
    setAsking(true);
  };
  const discard = async () => {
    setBusy(true);
    await onDiscard(doomed);
    setBusy(false);
    setAsking(false);
  };
  return (
    <section aria-labelledby="unfinished-uploads" data-testid="unfinished-uploads">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 id="unfinished-uploads" className="text-xl">
          Unfinished uploads
        </h2>
        {idle.length > 1 && (
          <Button variant="ghost" size="sm" icon={<Trash2 />} onClick={() => ask(idle)}>
            Discard all
          </Button>
        )}
      </div>
      <ul className="mt-2 divide-y divide-line border-y border-line">
        {transfers.map((transfer) => (
          <UnfinishedRow
            key={transfer.transferId}
            transfer={transfer}
            onDiscard={() => ask([transfer])}
            {...actions}
          />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={isAsking}
        onOpenChange={() => setAsking(false)}
        {...describeDiscard(doomed)}
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
      title: 'Discard this upload?',
      description: `“${first?.title}” and everything of it that has arrived is deleted. This cannot be undone.`,
      confirmLabel: 'Discard upload',
    };
  const count = (others.length + 1).toLocaleString('en');
  return {
    title: `Discard ${count} uploads?`,
    description: 'Everything of them that has arrived is deleted. This cannot be undone.',
    confirmLabel: `Discard ${count} uploads`,
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
  const { title, uploads, totalBytes, receivedBytes, hasArrived, lastActivityAt, isElsewhere } = transfer;
  const belongsElsewhere = transfer.addsTo !== null && !isAdding;
  const since = useRelativeTime(lastActivityAt);
  const share = hasArrived ? 1 : receivedBytes / Math.max(1, totalBytes);
  const needsFiles = !hasArrived && !canContinue(transfer);
  return (
    <li className="flex flex-wrap items-center gap-x-5 gap-y-4 py-4">
      <ProgressRing label={`Already sent of ${title}`} value={share} state="stopped" diameter={48}>
        <span className="tabular text-xs" aria-hidden="true">
          {Math.floor(share * 100)}%
        </span>
      </ProgressRing>
      <div className="min-w-48 grow basis-0">
        <p className="truncate font-medium" title={title}>
          {title}
        </p>
        <p className="tabular text-sm text-ink-soft">
          {countFiles(uploads.length)},{' '}
          {hasArrived
            ? `all ${formatSize(totalBytes)} already there`
            : `${formatSize(receivedBytes)} of ${formatSize(totalBytes)} already there`}
        </p>
        {transfer.addsTo && belongsElsewhere && (
          <p className="line-clamp-2 text-sm wrap-anywhere text-ink-soft">
            Being added to “{nameTransfer(transfer.addsTo)}”
          </p>
        )}
        <p className="text-sm text-ink-faint">
          {isElsewhere ? 'Being sent in another window' : `Interrupted ${since}`}
          {!isElsewhere && !belongsElsewhere && needsFiles && '. Choose the same files again to continue.'}
        </p>
      </div>
      {!isElsewhere && (
        <div className="flex flex-wrap gap-2">
          {belongsElsewhere ? (
            <LinkButton
              to={addFilesPage(transfer.transferId)}
              size="sm"
              icon={<ArrowRight />}
              aria-label={`Go on adding ${title}`}
            >
              Go on adding
            </LinkButton>
          ) : (
            <ResumeButtons transfer={transfer} {...actions} />
          )}
          <Button
            variant="ghost"
            size="sm"
            icon={<Trash2 />}
            aria-label={`Discard ${title}`}
            onClick={onDiscard}
          >
            Discard
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
        aria-label={`Finish ${transfer.title}`}
        onClick={() => onFinish(transfer)}
      >
        Finish
      </Button>
    );
  if (canContinue(transfer)) return <ContinueButton transfer={transfer} onContinue={onContinue} />;
  return <ChooseButtons transfer={transfer} onChoose={onChoose} />;
}

/** Whether this device kept handles of its files. */
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
      aria-label={`Continue ${transfer.title}`}
      title={isGranted ? undefined : 'Your browser will ask whether it may read the files again.'}
      onClick={run}
    >
      Continue
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
          aria-label={`Choose the files of ${transfer.title} again`}
          onClick={() => onChoose(transfer, 'files')}
        >
          Choose files
        </Button>
      )}
      {hasFolders && (
        <Button
          size="sm"
          icon={<FolderUp />}
          aria-label={`Choose the folder of ${transfer.title} again`}
          onClick={() => onChoose(transfer, 'folder')}
        >
          Choose folder
        </Button>
      )}
    </>
  );
}
