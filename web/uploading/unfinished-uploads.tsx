import { ArrowRight, FilePlus2, FolderUp, Play, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { addFilesPage } from '../../contracts/pages.ts';
import { formatSize } from '../../contracts/sizes.ts';
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
  onDiscard: (transfer: UnfinishedTransfer) => Promise<void>;
};

/** What earlier visits began: to be gone on with, or given up. */
export function UnfinishedUploads({ transfers, onDiscard, ...actions }: UnfinishedUploadsProps) {
  const [doomed, setDoomed] = useState<UnfinishedTransfer>();
  const [isBusy, setBusy] = useState(false);
  if (transfers.length === 0) return null;
  const discard = async () => {
    setBusy(true);
    await onDiscard(doomed!);
    setBusy(false);
    setDoomed(undefined);
  };
  return (
    <section aria-labelledby="unfinished-uploads" data-testid="unfinished-uploads">
      <h2 id="unfinished-uploads" className="text-xl">
        Unfinished uploads
      </h2>
      <ul className="mt-2 divide-y divide-line border-y border-line">
        {transfers.map((transfer) => (
          <UnfinishedRow
            key={transfer.transferId}
            transfer={transfer}
            onDiscard={() => setDoomed(transfer)}
            {...actions}
          />
        ))}
      </ul>
      <ConfirmDialog
        isOpen={doomed !== undefined}
        onOpenChange={() => setDoomed(undefined)}
        title="Discard this upload?"
        description={`“${doomed?.title}” and everything of it that has arrived is deleted. This cannot be undone.`}
        confirmLabel="Discard upload"
        isDestructive
        isBusy={isBusy}
        onConfirm={discard}
      />
    </section>
  );
}

type UnfinishedRowProps = Pick<UnfinishedUploadsProps, 'isAdding' | 'onContinue' | 'onChoose'> & {
  transfer: UnfinishedTransfer;
  onDiscard: () => void;
};

function UnfinishedRow({ transfer, isAdding, onContinue, onChoose, onDiscard }: UnfinishedRowProps) {
  const { title, uploads, totalBytes, receivedBytes, lastActivityAt, isElsewhere, record } = transfer;
  const belongsElsewhere = transfer.addsTo !== null && !isAdding;
  const since = useRelativeTime(lastActivityAt);
  const share = totalBytes === 0 ? 0 : receivedBytes / totalBytes;
  const canContinue = (record?.roots.length ?? 0) > 0;
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
          {countFiles(uploads.length)}, {formatSize(receivedBytes)} of {formatSize(totalBytes)} already there
        </p>
        {belongsElsewhere && (
          <p className="truncate text-sm text-ink-soft">
            Being added to “{transfer.addsTo?.title || 'a transfer without a title'}”
          </p>
        )}
        <p className="text-sm text-ink-faint">
          {isElsewhere ? 'Being sent in another window' : `Interrupted ${since}`}
          {!isElsewhere && !belongsElsewhere && !canContinue && '. Choose the same files again to continue.'}
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
          ) : canContinue ? (
            <ContinueButton transfer={transfer} onContinue={onContinue} />
          ) : (
            <ChooseButtons transfer={transfer} onChoose={onChoose} />
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
