import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FolderUp, Upload } from 'lucide-react';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { getTransfer, type TransferDetail } from '../../../../contracts/transfers/transfers.ts';
import { invalidate } from '../../../api/endpoint-query.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { Spinner } from '../../../components/feedback/spinner.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { classNames } from '../../../lib/class-names.ts';
import type { UploadEngine } from '../../../uploading/engine/upload-engine.ts';
import { useFileDrop } from '../../../uploading/files/file-drop.tsx';
import { useFilePicker } from '../../../uploading/files/file-picker.tsx';
import { type FilePick, readDrop } from '../../../uploading/files/picked-files.ts';
import { reportUnreadable } from '../../../uploading/files/report-unreadable.ts';
import { UploadLeaveGuard } from '../../../uploading/upload-leave-guard.tsx';
import { UploadProgress } from '../../../uploading/upload-progress.tsx';
import { useKeepAwake } from '../../../uploading/wake-lock.ts';
import { TransferUpdate } from './transfer-update.ts';
import { PlanView } from './update-plan-view.tsx';

type UpdateDialogProps = { transfer: TransferDetail; isOpen: boolean; onClose: () => void };

/** Replaces the contents of a transfer by newer files, of which only those that changed are sent. */
export function UpdateDialog({ transfer, isOpen, onClose }: UpdateDialogProps) {
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog
      isOpen={isOpen}
      onOpenChange={onClose}
      title={t`Update this transfer`}
      description={t`Only what changed is sent. The link stays the same, and earlier versions can still be downloaded.`}
      size="lg"
      isDismissible={!isBusy}
    >
      <Steps transferId={transfer.id} onBusy={setBusy} onClose={onClose} />
    </Dialog>
  );
}

type StepsProps = { transferId: string; onBusy: (isBusy: boolean) => void; onClose: () => void };

/** Mounted while the dialog is open. */
function Steps({ transferId, onBusy, onClose }: StepsProps) {
  const [update] = useState(() => new TransferUpdate(transferId));
  const state = useSyncExternalStore(update.subscribe, () => update.state);
  const { step } = state;
  const isBusy = step === 'sending' || step === 'publishing';
  useEffect(() => update.stop, [update]);
  useKeepAwake(isBusy);
  useEffect(() => {
    onBusy(isBusy);
    return () => onBusy(false);
  }, [isBusy, onBusy]);
  useEffect(() => {
    if (step !== 'published') return;
    toast({
      title: t`Update published`,
      description: t`Everybody with the link sees the new version from now on.`,
    });
    void invalidate(getTransfer, { params: { id: transferId } });
    onClose();
  }, [step, transferId, onClose]);
  return (
    <>
      {step === 'choose' && <ChooseFiles onPick={({ files }) => update.compare(files)} />}
      {step === 'comparing' && <Comparing share={state.share} onCancel={update.startOver} />}
      {step === 'planned' && (
        <PlanView
          plan={state.plan}
          onPublish={() => update.publish(state.plan)}
          onStartOver={update.startOver}
        />
      )}
      {step === 'sending' &&
        (state.engine ? (
          <Sending
            engine={state.engine}
            onRetry={() => update.publish(state.plan)}
            onCancel={update.cancel}
          />
        ) : (
          <Waiting text={t`Preparing…`} />
        ))}
      {(step === 'publishing' || step === 'published') && <Waiting text={t`Publishing the new version…`} />}
      {step === 'failed' && (
        <Failed message={state.message} onRetry={state.retry} onStartOver={update.startOver} />
      )}
      <UploadLeaveGuard isActive={isBusy} />
    </>
  );
}

function ChooseFiles({ onPick }: { onPick: (pick: FilePick) => void }) {
  const [isReading, setReading] = useState(false);
  const receive = useCallback(
    (pick: FilePick) => {
      // A file that cannot be read would be taken for one that was removed.
      if (pick.unreadable?.length) return reportUnreadable(pick.unreadable);
      if (pick.files.length > 0) return onPick(pick);
      toast({ title: t`Nothing to send`, description: t`Your selection contains no files.` });
    },
    [onPick],
  );
  const { choose, inputs } = useFilePicker({ onPick: receive, onFailed: reportUnreadable });
  const drop = useCallback(
    (transfer: DataTransfer) => {
      setReading(true);
      readDrop(transfer)
        .then(receive, reportUnreadable)
        .finally(() => setReading(false));
    },
    [receive],
  );
  const isHovering = useFileDrop(drop);
  return (
    <section
      aria-label={t`Choose files`}
      className={classNames(
        'flex flex-col items-center gap-5 rounded-lg border border-dashed px-6 py-9 text-center text-balance transition-colors duration-(--quick)',
        isHovering ? 'border-accent-ink bg-sunken' : 'border-edge',
      )}
    >
      <p className="font-heading text-xl" role="status">
        {isReading ? t`Reading files…` : t`Drop the newer files or folder here`}
      </p>
      <div className="flex flex-wrap justify-center gap-3">
        <Button icon={<FolderUp />} onClick={() => choose('folder')}>
          <Trans>Choose folder</Trans>
        </Button>
        <Button variant="secondary" icon={<Upload />} onClick={() => choose('files')}>
          <Trans>Choose files</Trans>
        </Button>
      </div>
      <p className="max-w-[34rem] text-sm text-ink-soft">
        <Trans>
          Files that a chosen folder no longer contains are removed from the transfer. Everything outside of
          it stays as it is.
        </Trans>
      </p>
      {inputs}
    </section>
  );
}

function Comparing({ share, onCancel }: { share: number; onCancel: () => void }) {
  return (
    <>
      <p className="mb-4" role="status">
        <Trans>Comparing your files with the transfer…</Trans>
      </p>
      <ProgressBar label={t`Comparing`} value={share} />
      <DialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
      </DialogFooter>
    </>
  );
}

type SendingProps = { engine: UploadEngine; onRetry: () => void; onCancel: () => void };

function Sending({ engine, onRetry, onCancel }: SendingProps) {
  const state = useSyncExternalStore(engine.subscribe, () => engine.state);
  useEffect(() => {
    const wake = () => engine.wake();
    window.addEventListener('online', wake);
    return () => window.removeEventListener('online', wake);
  }, [engine]);
  return (
    <UploadProgress
      state={state}
      headingRef={null}
      onPause={() => engine.pause()}
      onResume={() => engine.resume()}
      onRetry={onRetry}
      onCancel={onCancel}
    />
  );
}

function Waiting({ text }: { text: string }) {
  return (
    <p role="status" className="flex items-center gap-3 py-6">
      <Spinner className="size-5 text-ink-soft" />
      {text}
    </p>
  );
}

type FailedProps = { message: string | undefined; onRetry: () => void; onStartOver: () => void };

function Failed({ message, onRetry, onStartOver }: FailedProps) {
  return (
    <>
      <p role="alert" className="rounded-lg bg-danger-wash px-4 py-3 wrap-anywhere text-danger-ink">
        {message ?? t`The transfer was updated in the meantime. Compare your files with the newest version.`}
      </p>
      <DialogFooter>
        <Button variant="secondary" onClick={onStartOver}>
          <Trans>Choose other files</Trans>
        </Button>
        <Button onClick={onRetry}>{message === undefined ? t`Compare again` : t`Try again`}</Button>
      </DialogFooter>
    </>
  );
}
