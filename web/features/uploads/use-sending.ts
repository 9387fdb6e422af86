import { useCallback } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { getCurrentUser } from '../../../contracts/accounts/accounts.ts';
import { call } from '../../api/call.ts';
import { dismissToast } from '../../components/toast.ts';
import type { ResumeRecord } from '../../uploading/resume-records.ts';
import { createBrowserTransport } from '../../uploading/upload-transport.ts';
import { type Load, useFileIntake } from '../../uploading/use-file-intake.ts';
import { useUnfinished } from '../../uploading/use-unfinished.ts';
import { useUpload } from '../../uploading/use-upload.ts';
import { type UploadCourse, useLatest, useUploadCourse } from '../../uploading/use-upload-course.ts';
import type { AddTarget } from './add-target.ts';
import { type ShareForm, toSettings, toShareForm } from './share-form.ts';
import type { SentTransfer } from './success-dialog.tsx';
import { findLimitBreach, type Plan } from './upload-limits.ts';
import { useOutcome } from './use-outcome.ts';
import { useShareForm } from './use-share-form.ts';

/** One for all visits of the page: it keeps the worker that reads files. */
const transport = createBrowserTransport();

const NO_FILES = {
  title: 'No files selected',
  description: 'Please select at least one file to upload.',
};

export type Sending = UploadCourse & {
  form: UseFormReturn<ShareForm>;
  /** The transfer that arrived last. */
  sent: SentTransfer | undefined;
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
  const isKnownAgain = useCallback(async () => (await call(getCurrentUser)).id === userId, [userId]);
  const upload = useUpload({ transport, joins: target?.id, isKnownAgain });
  const { engine } = upload;
  const unfinished = useUnfinished({ transport, joins: target?.id });
  // What is to join another transfer goes on at that transfer's own page.
  const transfers = unfinished.transfers.filter(({ addsTo }) => target || !addsTo);
  const findBreach = ({ totalBytes, newBytes }: Omit<Load, 'items'>) =>
    findLimitBreach(plan, { transferBytes: heldBytes + totalBytes, newBytes });
  const intake = useFileIntake({ upload, transfers, findBreach });
  const needsPassword = intake.resuming?.transfer.record?.hadPassword ?? false;
  const { retentionDays } = limits;
  const form = useShareForm({ tier, retentionDays, needsPassword });
  const { isDirty } = form.formState;

  const retry = useLatest(() => course.submit());
  const outcome = useOutcome({ upload, intake, unfinished, form, plan, target, retry });
  const { sent, refuseLoad, tellEnd, refreshUsage } = outcome;

  const send = form.handleSubmit(async (values) => {
    const { items, totalBytes } = engine.state;
    const newBytes = items.reduce((sum, { uploadId, size }) => sum + (uploadId ? 0 : size), 0);
    const breach = findBreach({ totalBytes, newBytes });
    if (breach) return refuseLoad(breach.title, breach.description);
    // What was decided about a transfer is not decided again.
    const settings = target ? {} : toSettings(values, { tier, retentionDays });
    // What went wrong the last time is no longer true.
    dismissToast();
    const end = await upload.start(settings, intake.roots());
    tellEnd(end, settings);
  });

  const restore = (record: ResumeRecord) => {
    // What the person is typing now goes before what was decided then.
    if (isDirty) return false;
    form.reset(toShareForm(record.settings, retentionDays));
    return !record.hadPassword && !record.isReduced;
  };

  const course = useUploadCourse({
    upload,
    unfinished,
    intake,
    send,
    noFiles: NO_FILES,
    tellBreach: ({ title, description }) => refuseLoad(title, description),
    restore,
    onFreed: refreshUsage,
  });
  return { ...course, form, sent };
}
