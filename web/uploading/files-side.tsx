import { useCallback, useEffect, useRef, useState } from 'react';
import { isWhole } from '../../client/upload-plan.ts';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { toast } from '../components/toast.ts';
import { VisuallyHidden } from '../components/visually-hidden.tsx';
import { DropVeil, Dropzone, type DropzoneHandle, useFileDrop } from './files/dropzone.tsx';
import { FileList } from './files/file-list.tsx';
import { readDrop } from './files/picked-files.ts';
import { ResumeNotice, UnfinishedUploads } from './unfinished/unfinished-uploads.tsx';
import { type Proof, UploadLeaveGuard, UploadProgress } from './upload-progress.tsx';
import { countFiles } from './upload-words.ts';
import type { UploadCourse } from './use-upload-course.ts';

type FilesSideProps = {
  course: UploadCourse;
  /** Bytes one file may have. */
  maxBytes: number;
  /** The page adds to a transfer that is ready. */
  isAdding?: boolean;
  /** What sending everything of a resumed upload again is called, and does. */
  anewLabel: string;
  onStartAnew: () => void;
  /** Of people who do not sign in. */
  proof?: Proof | undefined;
};

/** Where files are chosen, listed and seen going; the same place for everybody who uploads. */
export function FilesSide(props: FilesSideProps) {
  const { course, maxBytes, isAdding = false, anewLabel, onStartAnew, proof } = props;
  const { upload, unfinished, intake, take } = course;
  const { state, isActive, engine } = upload;
  const dropzone = useRef<DropzoneHandle>(null);
  const { isHovering, isReading } = useDroppedFiles(isActive, take);
  const isAskingForProof = proof !== undefined && state.trouble?.kind === 'sign-in';
  const heading = useFocusOnChange(isActive, isAskingForProof);
  const hasItems = state.items.length > 0;
  return (
    <>
      {!hasItems && (
        <UnfinishedUploads
          transfers={unfinished.transfers}
          isAdding={isAdding}
          onContinue={course.continueTransfer}
          onFinish={course.finishTransfer}
          onDiscard={course.discardTransfers}
          onChoose={(transfer, kind) => dropzone.current?.choose(kind, (pick) => take(pick, transfer))}
        />
      )}
      {(isActive || state.phase === 'failed') && (
        <UploadProgress
          state={state}
          headingRef={heading}
          onPause={() => engine.pause()}
          onResume={() => engine.resume()}
          onRetry={course.submit}
          onCancel={() => void course.cancel()}
          proof={proof}
        />
      )}
      {!isActive && (
        <Dropzone
          ref={dropzone}
          maxBytes={maxBytes}
          isCompact={hasItems}
          isReading={isReading}
          onPick={take}
          onFailed={tellUnreadable}
        />
      )}
      {intake.resuming && !isActive && (
        <ResumeNotice
          resuming={intake.resuming}
          anewLabel={anewLabel}
          hasArrived={state.items.every(isWhole)}
          onDropMissing={intake.dropMissing}
          onStartAnew={state.items.every(({ file }) => file) ? onStartAnew : undefined}
        />
      )}
      {hasItems && <FileList state={state} onRemove={course.remove} />}
      {isHovering && <DropVeil isRefused={isActive} />}
      <VisuallyHidden isAnnounced>
        {hasItems ? `${countFiles(state.items.length)} selected` : ''}
      </VisuallyHidden>
      <MissingQuestion course={course} />
      <UploadLeaveGuard isActive={isActive} />
    </>
  );
}

/** Takes what is dropped on the window; a large folder needs a moment to be read. */
function useDroppedFiles(isActive: boolean, take: UploadCourse['take']) {
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

/**
 * The place where the upload shows its progress takes the focus, also when the button was far below it; and again
 * when it asks who is sending, and when that is known: the form for it comes and goes there.
 */
function useFocusOnChange(isActive: boolean, isAskingForProof: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of it moves the focus.
  useEffect(() => {
    if (isActive) heading.current?.focus();
  }, [isActive, isAskingForProof]);
  return heading;
}

function tellUnreadable(): void {
  toast({
    title: 'These files could not be read',
    description: 'Your browser may not open this place. Please try to choose single files.',
    variant: 'destructive',
  });
}

function MissingQuestion({ course: { intake, ...course } }: { course: UploadCourse }) {
  const missing = intake.resuming?.missing.length ?? 0;
  return (
    <ConfirmDialog
      isOpen={course.isAskingAboutMissing}
      onOpenChange={() => course.answerAboutMissing(false)}
      title={`Go on without ${countFiles(missing)}?`}
      description="They belong to this upload but were not chosen again. What has arrived of them is deleted."
      confirmLabel="Go on without"
      cancelLabel="Choose them first"
      onConfirm={() => course.answerAboutMissing(true)}
    />
  );
}
