import { plural, t } from '@lingui/core/macro';
import { getCurrentUser, getMonthlyUsage } from '../../../contracts/accounts/accounts.ts';
import { nameTransfer } from '../../../contracts/transfers/names.ts';
import { getTransfer, listTransfers } from '../../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput } from '../../../contracts/transfers/uploads/uploads.ts';
import { shareLink } from '../../../contracts/values/addresses/links.ts';
import { PAGES, transferPage } from '../../../contracts/values/addresses/pages.ts';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/endpoint-query.ts';
import { showErrors } from '../../api/forms/field-errors.ts';
import { onSessionEnd } from '../../api/session/session.ts';
import { type ToastInput, toast } from '../../components/feedback/toast.ts';
import { isSwitchedOn } from '../../lib/browser/device-switch.ts';
import { publicUrl } from '../../lib/browser/public-url.ts';
import { whenIdle } from '../../lib/loading/when-idle.ts';
import {
  isEncryptionOn,
  newSettingsForm,
  restoreSettingsForm,
  type SettingsForm,
  toSettings,
} from '../../transfer-settings/settings-form.ts';
import { toRefusedFields } from '../../transfer-settings/settings-refusals.ts';
import { type CreatedSettingsForm, createSettingsForm } from '../../transfer-settings/use-settings-form.ts';
import { runInBackground } from '../../uploading/background-upload.ts';
import type { EncryptionWish } from '../../uploading/encryption/encryption-control.ts';
import type { EngineState } from '../../uploading/engine/engine-state.ts';
import { createBrowserTransport } from '../../uploading/engine/upload-transport.ts';
import { notifyUploadEnd } from '../../uploading/notify-upload-end.ts';
import type { ResumeRecord } from '../../uploading/unfinished/resume-records.ts';
import { type UploadPage, UploadStore } from '../../uploading/upload-store.ts';
import type { AddTarget } from './adding-to.tsx';
import type { SentTransfer } from './success-dialog.tsx';
import { findLimitBreach, limitTitle, type Plan } from './upload-limits.ts';

/** Shared by all uploads, because it keeps the worker that reads files. */
const transport = createBrowserTransport();

/** Without a change of the password, which is typed letter by letter and makes sending begin again. */
const ENCRYPTION_MS = 1_500;

/** Without a change; saving at every key would write the list of files each time. */
const DRAFT_MS = 500;

type SendingOptions = {
  userId: string;
  plan: Plan;
  /** The transfer to add files to; without it they become a transfer of their own. */
  target?: AddTarget | undefined;
};

/** An upload with its settings: its store, the form, and what follows when it ends. May outlive its page. */
export class Sending {
  readonly userId: string;
  readonly store: UploadStore;
  readonly form: CreatedSettingsForm;
  /** Set by the page with every render. */
  plan: Plan;
  navigate: (path: string) => void = () => {};
  isPageOpen = false;
  readonly #target: AddTarget | undefined;
  readonly #listeners = new Set<() => void>();
  #sent: SentTransfer | undefined;

  constructor({ userId, plan, target }: SendingOptions) {
    this.userId = userId;
    this.plan = plan;
    this.#target = target;
    this.store = new UploadStore({ transport, joins: target?.id });
    this.form = createSettingsForm(() => ({
      ...this.#settingsPlan,
      needsPassword: this.store.state.resuming?.transfer.record?.hadPassword ?? false,
    }));
    this.store.connect(this.#describePage());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The transfer that was sent last, until its link was seen. */
  get sent(): SentTransfer | undefined {
    return this.#sent;
  }

  /** Saves the draft's settings soon after they were changed. Returns the function that ends this. */
  keepDraft(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unsubscribe = this.form.subscribe({
      formState: { values: true },
      callback: () => {
        clearTimeout(timer);
        timer = setTimeout(() => this.store.saveDraft(), DRAFT_MS);
      },
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }

  /** Sends again what was encrypted in another way than chosen now. Returns the function that ends this. */
  keepEncrypted(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const { isEncrypted, password } = this.form.getValues();
    let last = { isEncrypted, password };
    const unsubscribe = this.form.subscribe({
      formState: { values: true },
      callback: ({ values }) => {
        const isSwitched = values.isEncrypted !== last.isEncrypted;
        if (!isSwitched && values.password === last.password) return;
        last = values;
        clearTimeout(timer);
        timer = setTimeout(() => this.store.applyEncryption(), isSwitched ? 0 : ENCRYPTION_MS);
      },
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }

  forgetSent = (): void => this.#setSent(undefined);

  /** How the files are to be encrypted; undefined: not. The plan may decide that. */
  get encryption(): EncryptionWish | undefined {
    const owner = this.userId;
    if (this.#target) return this.#target.encryption ? { owner, password: undefined } : undefined;
    const values = this.form.getValues();
    if (!isEncryptionOn(this.plan.limits.encryption, values.isEncrypted)) return undefined;
    const { password } = toSettings(values, this.#settingsPlan);
    return { owner, password: password ? String(password) : undefined };
  }

  get #settingsPlan() {
    return { tier: this.plan.tier, retentionDays: this.plan.limits.retentionDays };
  }

  #describePage(): UploadPage {
    const target = this.#target;
    return {
      noFiles: {
        title: t`No files selected`,
        description: t`Please select at least one file to upload.`,
      },
      findBreach: ({ totalBytes, newBytes }) => {
        const transferBytes = (target?.totalSize ?? 0) + totalBytes;
        const breach = findLimitBreach(this.plan, { transferBytes, newBytes });
        return breach && { ...breach, action: this.#upgrade() };
      },
      collectSettings: () => this.#collectSettings(),
      ...(!target && {
        draftSettings: () => toSettings(this.form.getValues(), this.#settingsPlan),
        sendsAhead: () => isSwitchedOn('send-ahead'),
      }),
      encryption: () => this.encryption,
      onResumed: (isEncrypted) => this.form.setValue('isEncrypted', isEncrypted),
      restoreSettings: (record) => this.#restoreSettings(record),
      onEnd: (end, settings) => this.#end(end, settings),
      onFreed: () => invalidate(getMonthlyUsage),
      isSenderKnown: async () => (await call(getCurrentUser)).id === this.userId,
    };
  }

  #collectSettings(): Promise<TransferSettingsInput | undefined> {
    return new Promise((resolve, reject) => {
      // The settings of a transfer that was sent stay as they are.
      const collect = (values: SettingsForm) =>
        resolve(this.#target ? {} : toSettings(values, this.#settingsPlan));
      this.form
        .handleSubmit(collect, () => resolve(undefined))()
        .catch(reject);
    });
  }

  #restoreSettings({ settings, hadPassword, isReduced }: ResumeRecord): boolean {
    const { retentionDays } = this.#settingsPlan;
    // What is being typed now takes precedence over the earlier settings.
    const { isEncrypted, ...values } = this.form.getValues();
    if (!isUntouched(values, retentionDays)) return false;
    this.form.reset({ ...restoreSettingsForm(settings, retentionDays), isEncrypted });
    return !hadPassword && !isReduced;
  }

  #end(end: EngineState, settings: TransferSettingsInput): void {
    notifyUploadEnd(end);
    if (end.phase === 'success') {
      if (this.#target) this.#returnToTransfer(end, this.#target);
      else this.#showResult(end, settings);
      void invalidate(listTransfers);
      void invalidate(getTransfer);
    }
    if (end.phase === 'failed') this.#showFailure(end, settings);
    void invalidate(getMonthlyUsage);
  }

  #showResult(end: EngineState, { recipientEmails, password }: TransferSettingsInput): void {
    const { token, transfer } = end.result!;
    this.#setSent({
      transferId: transfer.id,
      link: end.link?.url ?? shareLink(publicUrl(), token),
      key: end.link?.key,
      fileCount: end.fileCount,
      totalBytes: end.totalBytes,
      recipients: (recipientEmails as string[] | undefined) ?? [],
      isPasswordProtected: end.link?.needsPassword ?? Boolean(password),
    });
    const showLink = { label: t`Show link`, onClick: () => this.navigate(PAGES.upload) };
    toast({ title: t`Upload successful!`, ...(!this.isPageOpen && { action: showLink }) });
    this.form.reset(newSettingsForm(this.#settingsPlan.retentionDays));
  }

  #returnToTransfer({ fileCount }: EngineState, { id, ...transfer }: AddTarget): void {
    const description = t`${plural(fileCount, { one: '# file', other: '# files' })} added to “${nameTransfer(transfer)}”.`;
    toast({ title: t`Upload successful!`, description });
    this.navigate(transferPage(id));
  }

  #showFailure({ error, refusal }: EngineState, settings: TransferSettingsInput): void {
    const title = limitTitle(refusal?.code);
    const action = title ? this.#upgrade() : refusal?.status === 429 ? this.#sendUnmailed() : undefined;
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
    showErrors(this.form, errors, description);
  }

  #upgrade(): NonNullable<ToastInput['action']> {
    return { label: t`Upgrade`, onClick: () => this.navigate(PAGES.pricing) };
  }

  /** Offered when the day's emails are used up. */
  #sendUnmailed(): NonNullable<ToastInput['action']> {
    return {
      label: t`Upload without emails`,
      onClick: () => {
        this.form.setValue('recipients', '');
        this.form.clearErrors('recipients');
        this.store.submit();
      },
    };
  }

  #setSent(sent: SentTransfer | undefined): void {
    this.#sent = sent;
    for (const listener of this.#listeners) listener();
  }
}

function isUntouched(values: Partial<SettingsForm>, retentionDays: number): boolean {
  const untouched = newSettingsForm(retentionDays);
  return Object.entries(values).every(([field, value]) => untouched[field as keyof SettingsForm] === value);
}

let current: { sending: Sending; close: () => void } | undefined;

/** The user's upload of a new transfer: the running one, or one that `startSending` is to start. */
export function findSending(options: SendingOptions): Sending {
  return current?.sending.userId === options.userId ? current.sending : new Sending(options);
}

/** The upload goes on when its page closes, and ends when the user signs out. Call it when the page has opened. */
export function startSending(sending: Sending): void {
  if (current?.sending === sending) return;
  closeSending();
  const closers = [
    sending.store.open(),
    runInBackground(sending.store),
    sending.keepDraft(),
    sending.keepEncrypted(),
  ];
  void whenIdle()
    .then(() => settleKeys(sending.userId))
    .catch(() => {});
  current = {
    sending,
    close: () => {
      for (const close of closers) close();
    },
  };
}

/** The keys of earlier drafts. Rejects if the code for that cannot be loaded: the next visit does it. */
async function settleKeys(userId: string): Promise<void> {
  const { settleDraftKeys } = await import('../../uploading/encryption/settle-draft-keys.ts');
  await settleDraftKeys(userId);
}

function closeSending(): void {
  current?.close();
  current = undefined;
}

onSessionEnd(closeSending);
