import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import type { TransferSettingsInput } from '../../../contracts/transfers/uploads.ts';
import { shareLink } from '../../../contracts/values/links.ts';
import { transferPage } from '../../../contracts/values/pages.ts';
import { type ToastInput, toast } from '../../components/toast.ts';
import { publicUrl } from '../../lib/public-url.ts';
import type { EngineState } from '../../uploading/engine-state.ts';
import { countFiles } from '../../uploading/upload-words.ts';
import type { FileIntake } from '../../uploading/use-file-intake.ts';
import type { Unfinished } from '../../uploading/use-unfinished.ts';
import type { Upload } from '../../uploading/use-upload.ts';
import type { AddTarget } from './add-target.ts';
import { emptyShareForm, type ShareForm, toRefusedFields } from './share-form.ts';
import type { SentTransfer } from './success-dialog.tsx';
import { limitTitle, type Plan } from './upload-limits.ts';
import { showFormErrors } from './use-share-form.ts';

export const USAGE_KEY = ['/api/user/monthly-usage'];

type OutcomeInput = {
  upload: Upload;
  intake: FileIntake;
  unfinished: Unfinished;
  form: UseFormReturn<ShareForm>;
  plan: Plan;
  target: AddTarget | undefined;
  /** Sends once more what has not become a transfer yet. */
  retry: () => void;
};

/** What follows when an upload ends: the link and an empty page, or what went wrong (specification sections 4, 8). */
export function useOutcome(input: OutcomeInput) {
  const { upload, intake, unfinished, form, plan, target, retry } = input;
  const { engine } = upload;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [sent, setSent] = useState<SentTransfer>();

  const refreshUsage = () => client.invalidateQueries({ queryKey: USAGE_KEY });

  const refuse = (title: string, description: string, action?: ToastInput['action']) =>
    toast({ title, description, variant: 'destructive', ...(action && { action }) });

  const refuseLoad = (title: string, description: string) =>
    refuse(title, description, { label: 'Upgrade', onClick: () => navigate('/pricing') });

  const join = ({ fileCount }: EngineState, { id, ...transfer }: AddTarget) => {
    const description = `${countFiles(fileCount)} added to “${nameTransfer(transfer)}”.`;
    toast({ title: 'Upload successful!', description });
    engine.reset();
    intake.clear();
    unfinished.forget(id);
    void client.invalidateQueries({ queryKey: ['/api/transfers'] });
    void navigate(transferPage(id));
  };

  const arrive = (end: EngineState, { recipientEmails, password }: TransferSettingsInput) => {
    const { token, transfer } = end.result!;
    setSent({
      transferId: transfer.id,
      link: shareLink(publicUrl(), token),
      fileCount: end.fileCount,
      totalBytes: end.totalBytes,
      recipients: (recipientEmails as string[] | undefined) ?? [],
      isPasswordProtected: Boolean(password),
    });
    toast({ title: 'Upload successful!' });
    engine.reset();
    intake.clear();
    unfinished.forget(transfer.id);
    form.reset(emptyShareForm(plan.limits.retentionDays));
    void client.invalidateQueries({ queryKey: ['/api/transfers'] });
  };

  /** The way forward when today's mails are used up: the link alone. */
  const sendUnmailed = {
    label: 'Upload without e-mails',
    onClick: () => {
      form.setValue('recipients', '');
      form.clearErrors('recipients');
      retry();
    },
  };

  const fail = ({ error, refusal }: EngineState, settings: TransferSettingsInput) => {
    const title = limitTitle(refusal?.code);
    if (title) refuseLoad(title, refusal!.detail);
    else refuse('Upload failed', error ?? '', refusal?.status === 429 ? sendUnmailed : undefined);
    if (refusal) showFormErrors(form, toRefusedFields(refusal, settings));
  };

  /** Nothing to tell when it was given up. */
  const tellEnd = (end: EngineState, settings: TransferSettingsInput) => {
    if (end.phase === 'success' && target) join(end, target);
    else if (end.phase === 'success') arrive(end, settings);
    if (end.phase === 'failed') fail(end, settings);
    void refreshUsage();
  };

  return { sent, refuseLoad, tellEnd, refreshUsage };
}
