import { plural, t } from '@lingui/core/macro';
import { useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useNavigate } from 'react-router';
import { getCurrentUser, getMonthlyUsage } from '../../../contracts/accounts/accounts.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { getTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../../contracts/transfers/uploads.ts';
import { shareLink } from '../../../contracts/values/links.ts';
import { transferPage } from '../../../contracts/values/pages.ts';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/endpoint-query.ts';
import { showErrors } from '../../api/field-errors.ts';
import { type ToastInput, toast } from '../../components/feedback/toast.ts';
import { publicUrl } from '../../lib/browser/public-url.ts';
import { toRefusedFields } from '../../transfer-settings/settings-checks.ts';
import {
  newSettingsForm,
  restoreSettingsForm,
  type SettingsForm,
  toSettings,
} from '../../transfer-settings/settings-form.ts';
import { useSettingsForm } from '../../transfer-settings/use-settings-form.ts';
import type { EngineState } from '../../uploading/engine/engine-state.ts';
import { createBrowserTransport } from '../../uploading/engine/upload-transport.ts';
import { notifyUploadEnd } from '../../uploading/notify-upload-end.ts';
import type { UploadPage, UploadState, UploadStore } from '../../uploading/upload-store.ts';
import { useUploadPage, useUploadStore } from '../../uploading/use-upload-store.ts';
import type { AddTarget } from './adding-to.tsx';
import type { SentTransfer } from './success-dialog.tsx';
import { findLimitBreach, limitTitle, type Plan } from './upload-limits.ts';

/** Shared by all visits of the page, because it keeps the worker that reads files. */
const transport = createBrowserTransport();

type SendingInput = {
  userId: string;
  plan: Plan;
  /** The transfer to add files to; without it they become a transfer of their own. */
  target: AddTarget | undefined;
};

type Sending = {
  store: UploadStore;
  state: UploadState;
  form: UseFormReturn<SettingsForm>;
  /** The transfer that was sent last. */
  sent: SentTransfer | undefined;
};

/** The upload page: its store, the settings form, and what follows when an upload ends. */
export function useSending({ userId, plan, target }: SendingInput): Sending {
  const settingsPlan = { tier: plan.tier, retentionDays: plan.limits.retentionDays };
  const [store, state] = useUploadStore({ transport, joins: target?.id });
  const needsPassword = state.resuming?.transfer.record?.hadPassword ?? false;
  const form = useSettingsForm({ ...settingsPlan, needsPassword });
  const { isDirty } = form.formState;
  const [sent, setSent] = useState<SentTransfer>();
  const navigate = useNavigate();

  const refreshUsage = () => invalidate(getMonthlyUsage);
  const upgrade: ToastInput['action'] = { label: t`Upgrade`, onClick: () => navigate('/pricing') };

  const showResult = (end: EngineState, { recipientEmails, password }: TransferSettingsInput) => {
    const { token, transfer } = end.result!;
    setSent({
      transferId: transfer.id,
      link: shareLink(publicUrl(), token),
      fileCount: end.fileCount,
      totalBytes: end.totalBytes,
      recipients: (recipientEmails as string[] | undefined) ?? [],
      isPasswordProtected: Boolean(password),
    });
    toast({ title: t`Upload successful!` });
    form.reset(newSettingsForm(settingsPlan.retentionDays));
  };

  const returnToTransfer = ({ fileCount }: EngineState, { id, ...transfer }: AddTarget) => {
    const description = t`${plural(fileCount, { one: '# file', other: '# files' })} added to “${nameTransfer(transfer)}”.`;
    toast({ title: t`Upload successful!`, description });
    void navigate(transferPage(id));
  };

  /** Offered when the day's emails are used up. */
  const sendUnmailed: ToastInput['action'] = {
    label: t`Upload without emails`,
    onClick: () => {
      form.setValue('recipients', '');
      form.clearErrors('recipients');
      store.submit();
    },
  };

  const showFailure = ({ error, refusal }: EngineState, settings: TransferSettingsInput) => {
    const title = limitTitle(refusal?.code);
    const action = title ? upgrade : refusal?.status === 429 ? sendUnmailed : undefined;
    const description = (title ? refusal?.detail : error) ?? '';
    toast({
      title: title ?? t`Upload failed`,
      description,
      variant: 'destructive',
      ...(action && { action }),
    });
    if (!refusal) return;
    const isAboutMails = refusal.code === 'too_many_requests';
    const errors = isAboutMails ? { recipients: refusal.detail } : toRefusedFields(refusal, settings);
    showErrors(form, errors, description);
  };

  const page: UploadPage = {
    noFiles: {
      title: t`No files selected`,
      description: t`Please select at least one file to upload.`,
    },
    findBreach: ({ totalBytes, newBytes }) => {
      const transferBytes = (target?.totalSize ?? 0) + totalBytes;
      const breach = findLimitBreach(plan, { transferBytes, newBytes });
      return breach && { ...breach, action: upgrade };
    },
    collectSettings: () =>
      new Promise((resolve, reject) => {
        // The settings of a transfer that was sent stay as they are.
        const collect = (values: SettingsForm) => resolve(target ? {} : toSettings(values, settingsPlan));
        form
          .handleSubmit(collect, () => resolve(undefined))()
          .catch(reject);
      }),
    restoreSettings: ({ settings, hadPassword, isReduced }) => {
      // What is being typed now takes precedence over the earlier settings.
      if (isDirty) return false;
      form.reset(restoreSettingsForm(settings, settingsPlan.retentionDays));
      return !hadPassword && !isReduced;
    },
    onEnd: (end, settings) => {
      notifyUploadEnd(end);
      if (end.phase === 'success') {
        if (target) returnToTransfer(end, target);
        else showResult(end, settings);
        void invalidate(listTransfers);
        void invalidate(getTransfer);
      }
      if (end.phase === 'failed') showFailure(end, settings);
      void refreshUsage();
    },
    onFreed: refreshUsage,
    isSenderKnown: async () => (await call(getCurrentUser)).id === userId,
  };
  useUploadPage(store, page);
  return { store, state, form, sent };
}
