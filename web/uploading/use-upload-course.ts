import { useCallback, useEffect, useRef, useState } from 'react';
import { errorDetail } from '../../client/api-error.ts';
import { type ToastInput, toast } from '../components/toast.ts';
import type { UploadItem } from './engine/upload-item.ts';
import { type Pick, reopenFiles } from './files/picked-files.ts';
import type { ResumeRecord } from './unfinished/resume-records.ts';
import type { Unfinished, UnfinishedTransfer } from './unfinished/unfinished-transfers.ts';
import type { FileIntake, LimitBreach } from './use-file-intake.ts';
import type { Upload } from './use-upload.ts';

const REFUSED_PICKS: Record<'busy' | 'empty' | 'strangers', ToastInput> = {
  busy: { title: 'An upload is under way', description: 'Files can be added when it is through.' },
  empty: { title: 'Nothing to send', description: 'There was no file in what you chose.' },
  strangers: {
    title: 'These are other files',
    description: 'None of them belongs to the unfinished upload. Please choose the same files again.',
  },
};

export type UploadCourse = {
  upload: Upload;
  unfinished: Unfinished;
  intake: FileIntake;
  /** With `continued` the files must belong to that unfinished transfer. */
  take(pick: Pick, continued?: UnfinishedTransfer): void;
  remove(items: UploadItem[]): void;
  /** Sends. `missing` are files of a resumed transfer: they are asked about first. */
  submit(): void;
  isAskingAboutMissing: boolean;
  answerAboutMissing(goOn: boolean): void;
  cancel(): Promise<void>;
  continueTransfer(transfer: UnfinishedTransfer): Promise<void>;
  /** Completes a transfer of which everything has arrived; asks first for what was not remembered about it. */
  finishTransfer(transfer: UnfinishedTransfer): void;
  discardTransfers(transfers: UnfinishedTransfer[]): Promise<void>;
};

type CourseInput = {
  upload: Upload;
  unfinished: Unfinished;
  intake: FileIntake;
  /** Checks what was filled in, then starts the upload with it. */
  send(): unknown;
  /** What is said when there is nothing to send. */
  noFiles: ToastInput;
  tellBreach(breach: LimitBreach): void;
  /** Brings back what had been decided about a transfer that goes on. Returns whether it may start by itself. */
  restore(record: ResumeRecord): boolean;
  /** Something was given up on the server. */
  onFreed?: () => Promise<unknown>;
};

/** The course of events that every page with an upload has in common, from chosen files to the send button. */
export function useUploadCourse(input: CourseInput): UploadCourse {
  const { upload, unfinished, intake, send, noFiles, tellBreach, restore, onFreed } = input;
  const { engine } = upload;
  const [isAskingAboutMissing, setAskingAboutMissing] = useState(false);

  const submit = () => {
    if (engine.isActive) return;
    if (engine.state.items.length === 0) refuse(noFiles);
    else if (intake.resuming?.missing.length) setAskingAboutMissing(true);
    else send();
  };

  const answerAboutMissing = (goOn: boolean) => {
    setAskingAboutMissing(false);
    if (!goOn) return;
    intake.dropMissing();
    send();
  };

  const take = (pick: Pick, continued?: UnfinishedTransfer) => {
    const taken = intake.take(pick, continued);
    if (taken.kind === 'breach') return tellBreach(taken.breach);
    if (taken.kind !== 'taken') return toast(REFUSED_PICKS[taken.kind]);
    const record = taken.resumed?.record;
    if (!record || !restore(record)) return;
    const isWhole = taken.missing.length === 0 && engine.state.items.every((item) => item.uploadId);
    if (isWhole) send();
  };

  const remove = (items: UploadItem[]) => {
    const { transferId } = engine.state;
    const isAll = items.length === engine.state.items.length;
    if (isAll && intake.resuming && engine.state.phase === 'idle') {
      // Put back, not given up: it is listed under the unfinished uploads again.
      engine.reset();
    } else {
      upload.remove(items);
      if (isAll && transferId) unfinished.forget(transferId);
    }
    if (isAll) intake.clear();
  };

  const cancel = async () => {
    const { transferId } = engine.state;
    const missing = intake.resuming?.missing ?? [];
    if (transferId) unfinished.forget(transferId);
    intake.clear();
    await upload.cancel(missing);
    toast({ title: 'Upload cancelled', description: 'What had been sent was deleted.' });
    await onFreed?.();
  };

  const continueTransfer = async (transfer: UnfinishedTransfer) => {
    const pick = await reopenFiles(transfer.record!.roots);
    if (pick) take(pick, transfer);
    else
      refuse({
        title: 'The files could not be opened',
        description: 'Please choose the same files again; they go on where they stopped.',
      });
  };

  const finishTransfer = (transfer: UnfinishedTransfer) => {
    intake.takeArrived(transfer);
    if (transfer.record && restore(transfer.record)) send();
  };

  const discardTransfers = async (transfers: UnfinishedTransfer[]) => {
    try {
      for (const transfer of transfers) await unfinished.discard(transfer);
    } catch (error) {
      refuse({ title: 'Error', description: errorDetail(error) });
    }
    await onFreed?.();
  };

  return {
    upload,
    unfinished,
    intake,
    take: useLatest(take),
    remove: useLatest(remove),
    submit,
    isAskingAboutMissing,
    answerAboutMissing,
    cancel,
    continueTransfer,
    finishTransfer,
    discardTransfers,
  };
}

function refuse(input: ToastInput): void {
  toast({ ...input, variant: 'destructive' });
}

/** The same function for as long as the page lives, always doing what the newest one would. */
export function useLatest<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
