import { t } from '@lingui/core/macro';
import { errorDetail } from '../../client/api-error.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';
import { dismissToast, type ToastInput, toast } from '../components/feedback/toast.ts';
import { translateSentence } from '../lib/language/sentences.ts';
import { EncryptionControl, type EncryptionWish } from './encryption/encryption-control.ts';
import type { EngineState } from './engine/engine-state.ts';
import { UploadEngine } from './engine/upload-engine.ts';
import {
  choiceKey,
  createItem,
  fingerprint,
  type LocalUpload,
  type UploadItem,
} from './engine/upload-item.ts';
import type { UploadTransport } from './engine/upload-transport.ts';
import { type FilePick, reopenFiles } from './files/picked-files.ts';
import { reportUnreadable } from './files/report-unreadable.ts';
import { forgetDraft } from './unfinished/forget-draft.ts';
import { ResumeRecorder } from './unfinished/resume-recorder.ts';
import {
  modifiedAt,
  type ResumeRecord,
  removeRecord,
  type UploadScope,
} from './unfinished/resume-records.ts';
import { UnfinishedList } from './unfinished/unfinished-list.ts';
import {
  findContinuation,
  selectForContinuation,
  type UnfinishedTransfer,
} from './unfinished/unfinished-transfers.ts';

/** An unfinished transfer that the selected files continue, and its files that were not selected again. */
export type Resuming = { transfer: UnfinishedTransfer; missing: LocalUpload[] };

/** Everything an upload page shows. A new object with every change. */
export type UploadState = EngineState & {
  /** Sending, completing or paused. */
  isActive: boolean;
  /** The transfer was submitted, so its files can no longer change. */
  isLocked: boolean;
  /** Leaving now interrupts the upload, or leaves a transfer unsent. */
  isUnfinished: boolean;
  /** What earlier visits, other tabs and other devices left unfinished. */
  unfinished: readonly UnfinishedTransfer[];
  resuming: Resuming | undefined;
  /** Asks whether to continue without the missing files. */
  isConfirmingMissing: boolean;
  /** The link could be shared now, while files are being sent. */
  canShareNow: boolean;
};

/** The files to send. */
export type Load = {
  items: readonly UploadItem[];
  /** Bytes of all files. */
  totalBytes: number;
  /** Bytes that the server has not reserved yet. */
  newBytes: number;
};

/** What differs between the pages that upload files. */
export type UploadPage = {
  /** Shown when there is nothing to send. */
  noFiles: ToastInput;
  /** The first limit these files exceed. The server decides; this saves people the attempt. */
  findBreach(load: Load): ToastInput | undefined;
  /**
   * The settings to send, or undefined if the form has errors, which it shows. Read when the transfer is submitted, and
   * again when it completes, because they can be edited meanwhile.
   */
  collectSettings(): Promise<TransferSettingsInput | undefined>;
  /** The settings as typed so far, unchecked: they are kept with bytes that are sent ahead. */
  draftSettings?(): TransferSettingsInput;
  /** Whether bytes are sent as soon as files are added. */
  sendsAhead?(): boolean;
  /** How files are encrypted; undefined: not. */
  encryption?(): EncryptionWish | undefined;
  /** A resumed transfer is encrypted, or is not. */
  onResumed?(isEncrypted: boolean): void;
  /** Fills the form with the settings of a resumed upload. Returns whether the upload can start without asking. */
  restoreSettings(record: ResumeRecord): boolean;
  onStart?(): void;
  /** The upload succeeded, failed, or was cancelled (`idle`). */
  onEnd(end: EngineState, settings: TransferSettingsInput): void;
  /** Unfinished uploads were deleted on the server. */
  onFreed?(): unknown;
  /** Whether the server recognizes the sender again after it did not. */
  isSenderKnown(): Promise<boolean>;
};

type StoreOptions = {
  transport: UploadTransport;
  scope?: UploadScope;
  /** The ready transfer to add files to; without it they become a transfer of their own. */
  joins?: string | undefined;
};

/** Nothing happens if the code cannot be loaded. */
function showNotice(show: (notices: typeof import('./encryption/restart-notices.ts')) => void): void {
  void import('./encryption/restart-notices.ts').then(show, () => {});
}

const REFUSED_PICKS = {
  busy: { title: t`An upload is in progress`, description: t`You can add files when it has finished.` },
  empty: { title: t`Nothing to send`, description: t`Your selection contains no files.` },
  strangers: {
    title: t`These are different files`,
    description: t`None of them belongs to the unfinished upload. Please choose the same files again.`,
  },
} satisfies Record<string, ToastInput>;

/** The state of a page that uploads files: the selected files, the transfer they resume, and the engine. */
export class UploadStore {
  readonly #engine: UploadEngine;
  readonly #unfinished: UnfinishedList;
  readonly #recorder: ResumeRecorder;
  readonly #joins: string | undefined;
  readonly #mayShareEarly: boolean;
  readonly #encryption: EncryptionControl;
  readonly #listeners = new Set<() => void>();
  #page: UploadPage | undefined;
  #state: UploadState;
  #settings: TransferSettingsInput = {};
  /** Handles that reopen the files after a reload. */
  #roots: FileSystemHandle[] = [];
  /** The end of the run that `#follow` waits for. */
  #followed: Promise<void> | undefined;

  constructor({ transport, scope = '', joins }: StoreOptions) {
    this.#joins = joins;
    this.#mayShareEarly = joins === undefined && transport.publish !== undefined;
    this.#engine = new UploadEngine(transport, { joins });
    this.#recorder = new ResumeRecorder(scope);
    this.#encryption = new EncryptionControl({
      wish: () => this.#page?.encryption?.(),
      listUnfinished: () => this.#listUnfinished(),
      isJoining: joins !== undefined,
    });
    const onChange = (unfinished: readonly UnfinishedTransfer[]) => this.#update({ unfinished });
    this.#unfinished = new UnfinishedList({ transport, scope, joins, onChange });
    this.#state = {
      ...this.#engine.state,
      isActive: false,
      isLocked: false,
      isUnfinished: false,
      unfinished: [],
      resuming: undefined,
      isConfirmingMissing: false,
      canShareNow: false,
    };
    this.#engine.subscribe(() => this.#update());
  }

  get state(): UploadState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Sets the page's callbacks; call it after every render. */
  connect(page: UploadPage): void {
    this.#page = page;
  }

  /** Loads the unfinished transfers and listens to browser events. Returns a function that stops everything. */
  open(): () => void {
    const closing = new AbortController();
    const { signal } = closing;
    window.addEventListener('online', () => this.#engine.wake(), { signal });
    document.addEventListener('visibilitychange', () => void this.#wakeWhenVisible(), { signal });
    const closeList = this.#unfinished.open();
    return () => {
      closing.abort();
      closeList();
      this.#engine.reset();
    };
  }

  /** Loads the unfinished transfers again, unless a transfer is being prepared. */
  refresh(): void {
    if (this.#state.items.length === 0) this.#unfinished.reload();
  }

  /**
   * Adds files to the list. With `continued` they must belong to that unfinished transfer. Resolves when they were added
   * or refused: they may continue a transfer of the list, which may still be loading.
   */
  addFiles = async (pick: FilePick, continued?: UnfinishedTransfer): Promise<void> => {
    const { firstLoad } = this.#unfinished;
    if (firstLoad) {
      await firstLoad;
      if (!this.#unfinished.isOpen) return;
    }
    this.#addFiles(pick, continued);
  };

  #addFiles(pick: FilePick, continued: UnfinishedTransfer | undefined): unknown {
    const { items, resuming } = this.#state;
    if (this.#state.isLocked) return toast(REFUSED_PICKS.busy);
    const { unreadable = [] } = pick;
    if (pick.files.length === 0)
      return unreadable.length > 0 ? reportUnreadable(unreadable) : toast(REFUSED_PICKS.empty);
    const found = items.length === 0 ? findContinuation(pick.files, this.#listResumable()) : undefined;
    const transfer = resuming?.transfer ?? continued ?? found;
    const files = transfer ? selectForContinuation(pick.files, transfer, { mayAdd: !continued }) : pick.files;
    if (files.length === 0) return toast(REFUSED_PICKS.strangers);

    const unfinished = resuming?.missing ?? transfer?.uploads ?? [];
    const added = withoutKnown(items, files.map(createItem));
    const breach = this.#requirePage().findBreach(measure([...items, ...added], unfinished));
    if (breach) return toastError(breach);
    this.#engine.add(added);
    if (unreadable.length > 0) reportUnreadable(unreadable);
    this.#roots = [...this.#roots, ...pick.roots];
    if (!transfer) return this.#sendAhead();

    if (!resuming) this.#resumeEncryption(transfer);
    const missing = this.#engine.adopt(unfinished, {
      completedFiles: transfer.record?.completedFiles,
      isUnchanged: (item) => isUnchanged(item, transfer),
    });
    this.#update({ resuming: { transfer, missing } });
    const isRestored = !resuming && this.#restoreSettings(transfer);
    const isComplete = missing.length === 0 && this.#state.items.every((item) => item.uploadId);
    if (isRestored && isComplete && wasSubmitted(transfer)) void this.#submit();
    else this.#sendAhead();
  }

  /** Removes files from the list and from the server. */
  remove = (items: UploadItem[]): void => {
    const { transferId, resuming, phase, items: listed } = this.#state;
    const isAll = items.length === listed.length;
    if (isAll && resuming && phase === 'idle') {
      // Resuming was called off: the transfer stays on the list of unfinished uploads.
      this.#engine.reset();
    } else {
      this.#engine.remove(items);
      if (isAll && transferId) {
        void forgetDraft(transferId);
        this.#unfinished.forget(transferId);
      }
    }
    if (isAll) this.#clearSelection();
  };

  /** Sends, with files that are still being added. Asks first if files of a resumed transfer are missing. */
  submit = async (): Promise<void> => {
    const { firstLoad } = this.#unfinished;
    if (firstLoad) {
      await firstLoad;
      if (!this.#unfinished.isOpen) return;
    }
    if (this.#state.isLocked) return;
    if (this.#state.items.length === 0) toastError(this.#requirePage().noFiles);
    else if (this.#state.resuming?.missing.length) this.#update({ isConfirmingMissing: true });
    else void this.#submit();
  };

  answerMissing(continues: boolean): void {
    this.#update({ isConfirmingMissing: false });
    if (!continues) return;
    this.dropMissing();
    void this.#submit();
  }

  /** Continues without the files that were not selected again, and deletes them on the server. */
  dropMissing = (): void => {
    const { resuming } = this.#state;
    if (!resuming) return;
    this.#engine.abandon(resuming.missing);
    this.#update({ resuming: { ...resuming, missing: [] } });
  };

  /** Turns the selected files of a resumed transfer into a new one. */
  startAnew = (): void => {
    const files = this.#recreateItems();
    this.#engine.reset();
    this.#engine.add(files);
    this.#update({ resuming: undefined });
    this.#sendAhead();
  };

  /** Sends files again if they were encrypted in another way than is wanted now. Call it when that has changed. */
  applyEncryption = (): void => {
    const { items, isLocked } = this.#state;
    if (isLocked || items.length === 0 || !this.#hasBegun()) return;
    if (!this.#encryption.fits(this.#engine.state) && this.#restart()) this.#sendAhead();
  };

  /** Makes the link work while files are being sent, with the settings as they are now. Reports failures. */
  shareNow = async (): Promise<void> => {
    const settings = await this.#requirePage().collectSettings();
    if (!settings || !this.#state.canShareNow) return;
    this.#settings = settings;
    try {
      await this.#engine.share(settings);
    } catch (error) {
      const description = translateSentence(errorDetail(error));
      toastError({ title: t`The link could not be shared`, description });
    }
  };

  /** Keeps the settings as they are typed, for after a reload. Call it when they have changed. */
  saveDraft(): void {
    this.#record(true);
  }

  pause = (): void => this.#engine.pause();

  resume = (): void => this.#engine.resume();

  /** Cancels the whole upload, here and on the server. */
  cancel = async (): Promise<void> => {
    const { transferId, resuming } = this.#state;
    if (transferId) {
      this.#unfinished.forget(transferId);
      void forgetDraft(transferId);
    }
    this.#clearSelection();
    await this.#engine.cancel(resuming?.missing);
    toast({ title: t`Upload cancelled`, description: t`The uploaded data was deleted.` });
    await this.#page?.onFreed?.();
  };

  /** Reopens the files of an unfinished transfer by the handles this device kept. */
  continueTransfer = async (transfer: UnfinishedTransfer): Promise<void> => {
    const pick = await reopenFiles(transfer.record!.roots);
    if (pick) this.#addFiles(pick, transfer);
    else
      toastError({
        title: t`The files could not be opened`,
        description: t`Please choose the same files again. The upload continues where it stopped.`,
      });
  };

  /** Completes a transfer whose files have all arrived, unless its settings have to be entered again. */
  finishTransfer = (transfer: UnfinishedTransfer): void => {
    this.#resumeEncryption(transfer);
    const missing = this.#engine.adopt(transfer.uploads, {
      completedFiles: transfer.record?.completedFiles,
    });
    this.#update({ resuming: { transfer, missing } });
    if (this.#restoreSettings(transfer) && wasSubmitted(transfer)) void this.#submit();
  };

  discardTransfers = async (transfers: UnfinishedTransfer[]): Promise<void> => {
    try {
      for (const transfer of transfers) await this.#unfinished.discard(transfer);
    } catch (error) {
      toastError({ title: t`Error`, description: errorDetail(error) });
    }
    await this.#page?.onFreed?.();
  };

  #sendAhead(): void {
    if (!this.#page?.sendsAhead?.() || this.#state.items.length === 0) return;
    if (!this.#prepareEncryption()) return;
    void this.#follow(this.#engine.sendAhead());
  }

  async #submit() {
    const page = this.#requirePage();
    const settings = await page.collectSettings();
    if (!settings) return;
    const breach = page.findBreach(measure(this.#state.items, []));
    if (breach) return toastError(breach);
    // An error of the last attempt no longer applies.
    dismissToast();
    if (!this.#prepareEncryption()) return;
    page.onStart?.();
    this.#settings = settings;
    await this.#follow(this.#engine.submit(this.#collectSettings));
  }

  #collectSettings = async (): Promise<TransferSettingsInput | undefined> => {
    const settings = await this.#requirePage().collectSettings();
    if (settings) this.#settings = settings;
    else
      toastError({
        title: t`Please check the settings`,
        description: t`All files are uploaded. Correct the settings, then press Upload again.`,
      });
    return settings;
  };

  /** Clears up and tells the page when a run of the engine has ended. */
  async #follow(end: Promise<void>): Promise<void> {
    if (this.#followed === end) return;
    this.#followed = end;
    await end;
    // Sending began again meanwhile.
    if (this.#followed !== end) return;
    const state = this.#engine.state;
    if (state.phase === 'arrived') return;
    if (state.phase === 'success') {
      const { transferId } = state;
      if (transferId) await removeRecord(transferId);
      this.#engine.reset();
      this.#clearSelection();
      if (transferId) this.#unfinished.forget(transferId);
    }
    this.#requirePage().onEnd(state, this.#settings);
  }

  /** Returns false if the files can't be encrypted as wanted. */
  #prepareEncryption(): boolean {
    if (!this.#hasBegun()) this.#engine.encryptWith(this.#encryption.begin());
    else if (!this.#encryption.fits(this.#engine.state)) return this.#restart();
    return true;
  }

  /** Files were announced, or are about to be. */
  #hasBegun(): boolean {
    const { transferId, isEncrypted } = this.#engine.state;
    return this.#engine.isActive || (this.#joins ? isEncrypted : transferId !== undefined);
  }

  /** Discards what was sent, and prepares the same files for sending. */
  #restart(): boolean {
    const { items, transferId, resuming, isEncrypted } = this.#state;
    const files = this.#recreateItems();
    if (files.length < items.length || this.#state.completedFiles > 0) {
      showNotice(({ tellImpossibleRestart }) => tellImpossibleRestart());
      return false;
    }
    if (transferId) {
      this.#unfinished.forget(transferId);
      void forgetDraft(transferId);
    }
    void this.#engine.cancel(resuming?.missing);
    this.#engine.add(files);
    const open = this.#encryption.begin();
    this.#engine.encryptWith(open);
    this.#update({ resuming: undefined });
    showNotice(({ tellRestart }) => tellRestart(isEncrypted, open !== undefined));
    return true;
  }

  #recreateItems(): UploadItem[] {
    return this.#state.items.flatMap(({ file, relativePath }) =>
      file ? createItem({ file, relativePath }) : [],
    );
  }

  #listUnfinished(): ReadonlySet<string> | undefined {
    const { resuming, completedFiles } = this.#state;
    if (!resuming || completedFiles === 0) return undefined;
    return new Set(resuming.transfer.uploads.flatMap(({ fileId }) => fileId ?? []));
  }

  #resumeEncryption({ isEncrypted, lost }: UnfinishedTransfer): void {
    this.#engine.abandon(lost);
    this.#page?.onResumed?.(isEncrypted);
    this.#engine.encryptWith(this.#encryption.resume(isEncrypted));
  }

  #restoreSettings({ record }: UnfinishedTransfer): boolean {
    return record !== undefined && this.#requirePage().restoreSettings(record);
  }

  #requirePage(): UploadPage {
    if (!this.#page) throw new Error('connect() has not been called');
    return this.#page;
  }

  #clearSelection(): void {
    this.#roots = [];
    this.#update({ resuming: undefined });
  }

  /** A new transfer doesn't continue uploads that are being added to another one: their page does. */
  #listResumable(): UnfinishedTransfer[] {
    return this.#state.unfinished.filter(({ addsTo }) => this.#joins || !addsTo);
  }

  /** Continues at once when the user returns to the tab, for instance from signing in. */
  async #wakeWhenVisible(): Promise<void> {
    if (document.visibilityState !== 'visible') return;
    this.#engine.wake();
    const needsSignIn = () => this.#engine.state.trouble?.kind === 'sign-in';
    if (!needsSignIn()) return;
    const isKnown = await this.#page?.isSenderKnown().catch(() => false);
    if (isKnown && needsSignIn()) this.#engine.resume();
  }

  #update(change: Partial<UploadState> = {}): void {
    const { state, isActive } = this.#engine;
    const { isSubmitted, phase } = state;
    const isLocked = isActive && (isSubmitted || phase === 'completing');
    const isUnfinished = isActive || phase === 'arrived';
    const canShareNow = this.#canShareNow('resuming' in change ? change.resuming : this.#state.resuming);
    this.#state = { ...this.#state, ...change, ...state, isActive, isLocked, isUnfinished, canShareNow };
    this.#record();
    for (const listener of this.#listeners) listener();
  }

  /** Recipients must see every file from the start, so all of them must be announced. */
  #canShareNow(resuming: Resuming | undefined): boolean {
    const { phase, items, isSubmitted, sharedToken } = this.#engine.state;
    const isSending = phase === 'uploading' || phase === 'paused';
    if (!this.#mayShareEarly || !isSending || isSubmitted || sharedToken !== undefined) return false;
    return !resuming?.missing.length && items.every(({ uploadId }) => uploadId !== undefined);
  }

  #record(hasNewSettings = false): void {
    const settings = () =>
      this.#state.isSubmitted ? this.#settings : (this.#page?.draftSettings?.() ?? this.#settings);
    this.#recorder.update(this.#state, { settings, roots: this.#roots }, hasNewSettings);
  }
}

/** Records of earlier versions were only saved after submitting. */
function wasSubmitted({ record }: UnfinishedTransfer): boolean {
  return record?.isSubmitted ?? true;
}

function withoutKnown(known: readonly UploadItem[], items: UploadItem[]): UploadItem[] {
  const keys = new Set(known.map(choiceKey));
  const arrived = new Set(known.filter(({ file }) => !file).map(fingerprint));
  return items.filter((item) => !keys.has(choiceKey(item)) && !arrived.has(fingerprint(item)));
}

/** The server reserved the bytes of unfinished uploads when they were announced. */
function measure(items: readonly UploadItem[], unfinished: LocalUpload[]): Load {
  const reserved = new Set(
    unfinished.map(({ relativePath, fileSize }) => fingerprint({ relativePath, size: fileSize })),
  );
  const isNew = (item: UploadItem) => !item.uploadId && !reserved.has(fingerprint(item));
  return { items, totalBytes: sumSizes(items), newBytes: sumSizes(items.filter(isNew)) };
}

function sumSizes(items: readonly UploadItem[]): number {
  return items.reduce((sum, { size }) => sum + size, 0);
}

/** Without a record of its modification time a file is identified by path and size alone. */
function isUnchanged(item: UploadItem, { record }: UnfinishedTransfer): boolean {
  const modified = record && modifiedAt(record, fingerprint(item));
  return modified === undefined || modified === item.file?.lastModified;
}

function toastError(input: ToastInput): void {
  toast({ ...input, variant: 'destructive' });
}
