import { useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { toast } from '../../components/toast.ts';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { usePageTitle } from '../../lib/page-title.ts';
import type { AddTarget } from './add-target.ts';
import { AddingTo } from './adding-to.tsx';
import { DropVeil, Dropzone, type DropzoneHandle } from './dropzone.tsx';
import { FileList } from './file-list.tsx';
import { readDrop } from './picked-files.ts';
import { ResumeNotice } from './resume-notice.tsx';
import { ShareSettings } from './share-settings.tsx';
import { SuccessDialog } from './success-dialog.tsx';
import { UnfinishedUploads } from './unfinished-uploads.tsx';
import { UploadLeaveGuard } from './upload-leave-guard.tsx';
import type { Plan } from './upload-limits.ts';
import { UploadProgress } from './upload-progress.tsx';
import { countFiles, percentOf } from './upload-words.ts';
import { useFileDrop } from './use-file-drop.ts';
import { type Sending, useSending } from './use-sending.ts';

type UploadWorkspaceProps = {
  userId: string;
  plan: Plan;
  /** The transfer the files are added to; without it they become one of their own. */
  target?: AddTarget;
};

/** Files on one side, how they are shared on the other; the same place shows them going. */
export function UploadWorkspace({ userId, plan, target }: UploadWorkspaceProps) {
  const sending = useSending({ userId, plan, target });
  const { upload, form, submit } = sending;
  const { state, isActive } = upload;
  const title = target ? 'Add Files' : 'Upload Files';
  usePageTitle(isActive ? `${percentOf(state)}% · ${title}` : title);
  return (
    <div className="mt-rhythm grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]">
      <div className="flex min-w-0 flex-col gap-8 lg:sticky lg:top-[calc(var(--topbar)+1.5rem)]">
        <FilesSide sending={sending} plan={plan} target={target} />
      </div>
      {target ? (
        <AddingTo target={target} limitBytes={plan.limits.storagePerTransfer} onSubmit={submit}>
          <SendButton sending={sending} label="Add files" />
        </AddingTo>
      ) : (
        <ShareSettings
          form={form}
          plan={plan}
          isLocked={isActive}
          isButtonSticky={state.items.length > 0}
          onSubmit={submit}
        >
          <SendButton sending={sending} label="Upload" />
        </ShareSettings>
      )}
      <MissingQuestion sending={sending} />
      <Arrived sending={sending} />
      <UploadLeaveGuard isActive={isActive} />
    </div>
  );
}

function SendButton({ sending: { upload, intake }, label }: { sending: Sending; label: string }) {
  const { state, isActive } = upload;
  const percent = `${percentOf(state)}%`;
  return (
    <Button
      type="submit"
      size="lg"
      className="w-full"
      isBusy={isActive}
      busyLabel={state.phase === 'paused' ? `Paused at ${percent}` : `Uploading ${percent}`}
    >
      {state.phase === 'failed' ? 'Try again' : intake.resuming ? 'Continue upload' : label}
    </Button>
  );
}

type FilesSideProps = { sending: Sending; plan: Plan; target: AddTarget | undefined };

function FilesSide({ sending, plan, target }: FilesSideProps) {
  const { upload, unfinished, intake, take } = sending;
  const { state, isActive, engine } = upload;
  const dropzone = useRef<DropzoneHandle>(null);
  const { isHovering, isReading } = useDroppedFiles(isActive, take);
  const heading = useFocusOnStart(isActive);
  const hasItems = state.items.length > 0;
  return (
    <>
      {!hasItems && (
        <UnfinishedUploads
          transfers={unfinished.transfers}
          isAdding={target !== undefined}
          onContinue={sending.continueTransfer}
          onDiscard={sending.discardTransfer}
          onChoose={(transfer, kind) => dropzone.current?.choose(kind, (pick) => take(pick, transfer))}
        />
      )}
      {(isActive || state.phase === 'failed') && (
        <UploadProgress
          state={state}
          headingRef={heading}
          onPause={() => engine.pause()}
          onResume={() => engine.resume()}
          onRetry={sending.submit}
          onCancel={() => void sending.cancel()}
        />
      )}
      {!isActive && (
        <Dropzone
          ref={dropzone}
          maxBytes={Math.max(0, plan.limits.storagePerTransfer - (target?.totalSize ?? 0))}
          isCompact={hasItems}
          isReading={isReading}
          onPick={take}
          onFailed={tellUnreadable}
        />
      )}
      {intake.resuming && !isActive && (
        <ResumeNotice
          resuming={intake.resuming}
          onDropMissing={intake.dropMissing}
          onStartAnew={intake.startAnew}
        />
      )}
      {hasItems && <FileList state={state} onRemove={sending.remove} />}
      {isHovering && <DropVeil isRefused={isActive} />}
      <VisuallyHidden isAnnounced>
        {hasItems ? `${countFiles(state.items.length)} selected` : ''}
      </VisuallyHidden>
    </>
  );
}

/** Takes what is dropped on the window; a large folder needs a moment to be read. */
function useDroppedFiles(isActive: boolean, take: Sending['take']) {
  const [isReading, setReading] = useState(false);
  const read = useCallback(
    async (transfer: DataTransfer) => {
      if (isActive) return take({ files: [], roots: [] });
      setReading(true);
      // Within the drop event: afterwards the browser forgets what was dropped.
      await readDrop(transfer).then((pick) => take(pick), tellUnreadable);
      setReading(false);
    },
    [isActive, take],
  );
  return { isHovering: useFileDrop(read), isReading };
}

/** The place where the upload shows its progress takes the focus, also when the button was far below it. */
function useFocusOnStart(isActive: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isActive) heading.current?.focus();
  }, [isActive]);
  return heading;
}

function tellUnreadable(): void {
  toast({
    title: 'These files could not be read',
    description: 'Your browser may not open this place. Please try to choose single files.',
    variant: 'destructive',
  });
}

function MissingQuestion({ sending: { intake, ...sending } }: { sending: Sending }) {
  const missing = intake.resuming?.missing.length ?? 0;
  return (
    <ConfirmDialog
      isOpen={sending.isAskingAboutMissing}
      onOpenChange={() => sending.answerAboutMissing(false)}
      title={`Go on without ${countFiles(missing)}?`}
      description="They belong to this upload but were not chosen again. What has arrived of them is deleted."
      confirmLabel="Go on without"
      cancelLabel="Choose them first"
      onConfirm={() => sending.answerAboutMissing(true)}
    />
  );
}

function Arrived({ sending: { sent } }: { sending: Sending }) {
  const [seen, setSeen] = useState<typeof sent>();
  return sent && <SuccessDialog sent={sent} isOpen={sent !== seen} onClose={() => setSeen(sent)} />;
}
