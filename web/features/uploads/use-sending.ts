import { useCallback, useEffect, useRef, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { errorDetail } from '../../api/api-error.ts';
import { dismissToast, type ToastInput, toast } from '../../components/toast.ts';
import type { AddTarget } from './add-target.ts';
import type { Pick } from './picked-files.ts';
import { reopenFiles } from './reopen-files.ts';
import { type ShareForm, toSettings, toShareForm } from './share-form.ts';
import type { SentTransfer } from './success-dialog.tsx';
import type { UnfinishedTransfer } from './unfinished-transfers.ts';
import type { UploadItem } from './upload-item.ts';
import { findLimitBreach, type Plan } from './upload-limits.ts';
import { type FileIntake, useFileIntake } from './use-file-intake.ts';
import { useOutcome } from './use-outcome.ts';
import { useShareForm } from './use-share-form.ts';
import { type Unfinished, useUnfinished } from './use-unfinished.ts';
import { type Upload, useUpload } from './use-upload.ts';

const REFUSED_PICKS: Record<'busy' | 'empty' | 'strangers', ToastInput> = {
  busy: { title: 'An upload is under way', description: 'Files can be added when it is through.' },
  empty: { title: 'Nothing to send', description: 'There was no file in what you chose.' },
  strangers: {
    title: 'These are other files',
    description: 'None of them belongs to the unfinished upload. Please choose the same files again.',
  },
};

export type Sending = {
  upload: Upload;
  unfinished: Unfinished;
  intake: FileIntake;
  form: UseFormReturn<ShareForm>;
  /** The transfer that arrived last. */
  sent: SentTransfer | undefined;
  /** With `continued` the files must belong to that unfinished transfer. */
  take(pick: Pick, continued?: UnfinishedTransfer): void;
  remove(items: UploadItem[]): void;
  /** Checks files and form, then sends. `missing` are files of a resumed transfer: they are asked about first. */
  submit(): void;
  isAskingAboutMissing: boolean;
  answerAboutMissing(goOn: boolean): void;
  cancel(): Promise<void>;
  continueTransfer(transfer: UnfinishedTransfer): Promise<void>;
  discardTransfer(transfer: UnfinishedTransfer): Promise<void>;
};

type SendingInput = {
  userId: string;
  plan: Plan;
  /** Where the files are added; without it they become a transfer of their own. */
  target: AddTarget | undefined;
};

/** The upload page's course of events, from chosen files to the link. */
export function useSending({ userId, plan, target }: SendingInput): Sending {
  const { tier, limits } = plan;
  const heldBytes = target?.totalSize ?? 0;
  const upload = useUpload(userId, target?.id);
  const { engine } = upload;
  const unfinished = useUnfinished(target?.id);
  // What is to join another transfer goes on at that transfer's own page.
  const transfers = unfinished.transfers.filter(({ addsTo }) => target || !addsTo);
  const intake = useFileIntake({ upload, transfers, plan, heldBytes });
  const needsPassword = intake.resuming?.transfer.record?.hadPassword ?? false;
  const { retentionDays } = limits;
  const form = useShareForm({ tier, retentionDays, needsPassword });
  const { isDirty } = form.formState;
  const [isAskingAboutMissing, setAskingAboutMissing] = useState(false);

  const retry = useLatest(() => submit());
  const outcome = useOutcome({ upload, intake, unfinished, form, plan, target, retry });
  const { sent, refuse, refuseLoad, tellEnd, refreshUsage } = outcome;

  const send = form.handleSubmit(async (values) => {
    const { items, totalBytes } = engine.state;
    const newBytes = items.reduce((sum, { uploadId, size }) => sum + (uploadId ? 0 : size), 0);
    const breach = findLimitBreach(plan, { transferBytes: heldBytes + totalBytes, newBytes });
    if (breach) return refuseLoad(breach.title, breach.description);
    // What was decided about a transfer is not decided again.
    const settings = target ? {} : toSettings(values, { tier, retentionDays });
    // What went wrong the last time is no longer true.
    dismissToast();
    const end = await upload.start(settings, intake.roots());
    tellEnd(end, settings);
  });

  const submit = () => {
    if (engine.isActive) return;
    if (engine.state.items.length === 0)
      return refuse('No files selected', 'Please select at least one file to upload.');
    if (intake.resuming?.missing.length) setAskingAboutMissing(true);
    else void send();
  };

  const answerAboutMissing = (goOn: boolean) => {
    setAskingAboutMissing(false);
    if (!goOn) return;
    intake.dropMissing();
    void send();
  };

  const take = (pick: Pick, continued?: UnfinishedTransfer) => {
    const taken = intake.take(pick, continued);
    if (taken.kind === 'breach') return refuseLoad(taken.breach.title, taken.breach.description);
    if (taken.kind !== 'taken') return toast(REFUSED_PICKS[taken.kind]);
    const record = taken.resumed?.record;
    // What the person is typing now goes before what was decided then.
    if (!record || isDirty) return;
    form.reset(toShareForm(record.settings, retentionDays));
    const isWhole = taken.missing.length === 0 && engine.state.items.every((item) => item.uploadId);
    if (isWhole && !record.hadPassword) void send();
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
    if (transferId) unfinished.forget(transferId);
    if (target && intake.resuming) engine.abandon(intake.resuming.missing);
    intake.clear();
    await upload.cancel();
    toast({ title: 'Upload cancelled', description: 'What had been sent was deleted.' });
    await refreshUsage();
  };

  const continueTransfer = async (transfer: UnfinishedTransfer) => {
    const pick = await reopenFiles(transfer.record!.roots);
    if (pick) take(pick, transfer);
    else
      refuse(
        'The files could not be opened',
        'Please choose the same files again; they go on where they stopped.',
      );
  };

  const discardTransfer = async (transfer: UnfinishedTransfer) => {
    try {
      await unfinished.discard(transfer);
      await refreshUsage();
    } catch (error) {
      refuse('Error', errorDetail(error));
    }
  };

  return {
    upload,
    unfinished,
    intake,
    form,
    sent,
    take: useLatest(take),
    remove: useLatest(remove),
    submit,
    isAskingAboutMissing,
    answerAboutMissing,
    cancel,
    continueTransfer,
    discardTransfer,
  };
}

/** The same function for as long as the page lives, always doing what the newest one would. */
function useLatest<Args extends unknown[]>(run: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  return useCallback((...args: Args) => latest.current(...args), []);
}
