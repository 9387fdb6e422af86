import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { useLocation } from 'wouter';
import type { SettingsForm } from '../../transfer-settings/settings-form.ts';
import { useCreatedSettingsForm } from '../../transfer-settings/use-settings-form.ts';
import type { UploadState } from '../../uploading/upload-store.ts';
import { useKeepAwake } from '../../uploading/wake-lock.ts';
import type { AddTarget } from './adding-to.tsx';
import { findSending, Sending, startSending } from './sending.ts';
import type { SentTransfer } from './success-dialog.tsx';
import type { Plan } from './upload-limits.ts';

type SendingInput = {
  userId: string;
  plan: Plan;
  /** The transfer to add files to; without it they become a transfer of their own. */
  target: AddTarget | undefined;
};

type ShownSending = {
  sending: Sending;
  state: UploadState;
  form: UseFormReturn<SettingsForm>;
  sent: SentTransfer | undefined;
};

/** The upload that the page shows. A new transfer goes on in the background when the page closes. */
export function useSending(input: SendingInput): ShownSending {
  const { plan, target } = input;
  const [sending] = useState(() => (target ? new Sending(input) : findSending(input)));
  const { store } = sending;
  const [, navigate] = useLocation();
  useLayoutEffect(() => {
    sending.plan = plan;
    sending.navigate = (path) => navigate(path);
  });
  const isBound = target !== undefined;
  // Before the effects that add files.
  useLayoutEffect(() => {
    if (!isBound) startSending(sending);
  }, [sending, isBound]);
  const state = useSyncExternalStore(store.subscribe, () => store.state);
  const sent = useSyncExternalStore(sending.subscribe, () => sending.sent);
  useEffect(() => {
    if (isBound) return store.open();
    sending.isPageOpen = true;
    store.refresh();
    return () => {
      sending.isPageOpen = false;
    };
  }, [sending, store, isBound]);
  useKeepAwake(isBound && state.isActive);
  const form = useCreatedSettingsForm(sending.form, plan.limits.retentionDays);
  return { sending, state, form, sent };
}
