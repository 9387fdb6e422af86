import { plural, t } from '@lingui/core/macro';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { isWhole } from '../../client/upload-plan.ts';
import { ConfirmDialog } from '../components/dialogs/confirm-dialog.tsx';
import { VisuallyHidden } from '../components/layout/visually-hidden.tsx';
import { lateModule } from '../lib/loading/late-module.ts';
import { Dropzone, type DropzoneHandle } from './files/dropzone.tsx';
import { DropVeil, useFileDrop } from './files/file-drop.tsx';
import { readDrop } from './files/picked-files.ts';
import { reportUnreadable } from './files/report-unreadable.ts';
import { UploadLeaveGuard } from './upload-leave-guard.tsx';
import type { Proof } from './upload-progress.tsx';
import type { UploadState, UploadStore } from './upload-store.ts';

const useFileList = lateModule(() => import('./files/file-list.tsx'), { isLikely: true });
const useProgress = lateModule(() => import('./upload-progress.tsx'), { isLikely: true });
const useKeyNotice = lateModule(() => import('./encryption/key-notice.tsx'));
/** Few visits have unfinished uploads. */
const useUnfinished = lateModule(() => import('./unfinished/unfinished-uploads.tsx'));

type FilesSideProps = {
  store: UploadStore;
  state: UploadState;
  /** Bytes per file; undefined while the limit loads. */
  maxBytes: number | undefined;
  /** The page adds to a transfer that is ready. */
  isAdding?: boolean;
  /** Sends a resumed upload from the beginning. */
  anewLabel: string;
  onStartAnew: () => void;
  /** Asks before leaving the page, because the upload ends with it. */
  isBoundToPage?: boolean;
  /** Asks who is sending after the server no longer recognizes the sender. */
  proof?: Proof | undefined;
  /** Shown with the progress, after its own actions. */
  moreActions?: ReactNode;
};

/** Where files are selected, listed and sent, on every page that uploads. */
export function FilesSide(props: FilesSideProps) {
  const { store, state, maxBytes, isAdding = false, anewLabel, onStartAnew, proof } = props;
  const { isActive, isLocked, isUnfinished, resuming } = state;
  const dropzone = useRef<DropzoneHandle>(null);
  const { isHovering, isReading } = useDroppedFiles(isLocked, store.addFiles);
  const isAskingForProof = proof !== undefined && state.trouble?.kind === 'sign-in';
  const isStarted = isUnfinished || state.phase === 'failed';
  const progress = useProgress(isStarted);
  const heading = useFocusOnChange(isLocked, isAskingForProof, progress !== undefined);
  const hasItems = state.items.length > 0;
  const list = useFileList(hasItems);
  const loaded = useUnfinished(state.unfinished.length > 0 || resuming !== undefined);
  const keyNotice = useKeyNotice(state.isEncrypted);
  return (
    <>
      {!hasItems && loaded && (
        <loaded.UnfinishedUploads
          transfers={state.unfinished}
          isAdding={isAdding}
          onContinue={store.continueTransfer}
          onFinish={store.finishTransfer}
          onDiscard={store.discardTransfers}
          onChoose={(transfer, kind) =>
            dropzone.current?.choose(kind, (pick) => store.addFiles(pick, transfer))
          }
        />
      )}
      {isStarted && progress && (
        <progress.UploadProgress
          state={state}
          headingRef={heading}
          onPause={store.pause}
          onResume={store.resume}
          onRetry={store.submit}
          onCancel={store.cancel}
          proof={proof}
          moreActions={props.moreActions}
        />
      )}
      {state.link && !isAdding && state.sharedToken === undefined && keyNotice && (
        <keyNotice.KeyNotice link={state.link} />
      )}
      {!isLocked && (
        <Dropzone
          ref={dropzone}
          maxBytes={maxBytes}
          isCompact={hasItems}
          isReading={isReading}
          onPick={store.addFiles}
          onFailed={reportUnreadable}
        />
      )}
      {resuming && !isActive && loaded && (
        <loaded.ResumeNotice
          resuming={resuming}
          anewLabel={anewLabel}
          hasArrived={state.items.every(isWhole)}
          onDropMissing={store.dropMissing}
          onStartAnew={state.items.every(({ file }) => file) ? onStartAnew : undefined}
        />
      )}
      {hasItems && list && <list.FileList state={state} onRemove={store.remove} />}
      {isHovering && <DropVeil isRefused={isLocked} />}
      <VisuallyHidden isAnnounced>
        {hasItems ? t`${plural(state.items.length, { one: '# file', other: '# files' })} selected` : ''}
      </VisuallyHidden>
      <MissingQuestion store={store} state={state} />
      {props.isBoundToPage && <UploadLeaveGuard isActive={isActive} />}
    </>
  );
}

/** Adds files dropped on the window. Reading a large folder takes a moment. */
function useDroppedFiles(isLocked: boolean, addFiles: UploadStore['addFiles']) {
  const [isReading, setReading] = useState(false);
  const read = useCallback(
    async (transfer: DataTransfer) => {
      if (isLocked) return addFiles({ files: [], roots: [] });
      setReading(true);
      // Must start within the drop event: afterwards the browser discards the dropped items.
      await readDrop(transfer).then((pick) => addFiles(pick), reportUnreadable);
      setReading(false);
    },
    [isLocked, addFiles],
  );
  return { isHovering: useFileDrop(read), isReading };
}

/**
 * Focuses the progress section when the transfer is submitted, because the button may be far below it. It is focused again
 * when the form that asks who is sending appears or disappears.
 */
function useFocusOnChange(isLocked: boolean, isAskingForProof: boolean, isLoaded: boolean) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isAwaited = useRef(false);
  const last = useRef({ isLocked, isAskingForProof });
  useEffect(() => {
    const hasChanged =
      last.current.isLocked !== isLocked || last.current.isAskingForProof !== isAskingForProof;
    last.current = { isLocked, isAskingForProof };
    if (hasChanged) isAwaited.current = true;
    if (!isLoaded || !isAwaited.current) return;
    isAwaited.current = false;
    heading.current?.focus();
  }, [isLocked, isAskingForProof, isLoaded]);
  return heading;
}

function MissingQuestion({ store, state }: Pick<FilesSideProps, 'store' | 'state'>) {
  const missing = state.resuming?.missing.length ?? 0;
  return (
    <ConfirmDialog
      isOpen={state.isConfirmingMissing}
      onOpenChange={() => store.answerMissing(false)}
      title={t`Continue without ${plural(missing, { one: '# file', other: '# files' })}?`}
      description={t`They belong to this upload but were not chosen again. Their uploaded parts will be deleted.`}
      confirmLabel={t`Continue without`}
      cancelLabel={t`Choose files`}
      onConfirm={() => store.answerMissing(true)}
    />
  );
}
