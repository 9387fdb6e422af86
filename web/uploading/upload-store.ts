import { errorDetail } from '../../client/api-error.ts';
import type { TransferSettingsInput, UnfinishedUpload } from '../../contracts/transfers/uploads.ts';
import { queryClient } from '../api/query-client.ts';
import { dismissToast, type ToastInput, toast } from '../components/toast.ts';
import type { EngineState } from './engine/engine-state.ts';
import { UploadEngine } from './engine/upload-engine.ts';
import { choiceKey, createItem, fingerprint, type UploadItem } from './engine/upload-item.ts';
import type { UploadTransport } from './engine/upload-transport.ts';
import { type FilePick, reopenFiles } from './files/picked-files.ts';
import {
  modifiedAt,
  type ResumeRecord,
  removeRecord,
  saveRecord,
  type UploadScope,
} from './unfinished/resume-records.ts';
import { lockTransfer, waitUntilUnlocked } from './unfinished/transfer-lock.ts';
import {
  discardUnfinished,
  findContinuation,
  loadUnfinished,
  selectForContinuation,
  type UnfinishedTransfer,
} from './unfinished/unfinished-transfers.ts';

/** An unfinished transfer that the selected files continue, and its files that were not selected again. */
export type Resuming = { transfer: UnfinishedTransfer; missing: UnfinishedUpload[] };

/** Everything an upload page shows. A new object with every change. */
export type UploadState = EngineState & {
  /** Sending, completing or paused: leaving now interrupts the upload. */
  isActive: boolean;
  /** What earlier visits, other tabs and other devices left unfinished. */
  unfinished: readonly UnfinishedTransfer[];
  resuming: Resuming | undefined;
  /** Asks whether to continue without the missing files. */
  isAskingAboutMissing: boolean;
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
  /** The settings to send, or undefined if the form has errors, which it shows. */
  collectSettings(): Promise<TransferSettingsInput | undefined>;
  /** Fills the form with the settings of a resumed upload. Returns whether the upload can start without asking. */
  restoreSettings(record: ResumeRecord): boolean;
  onStart?(): void;
  /** The upload succeeded, failed, or was given up (`idle`). */
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

const REFUSED_PICKS = {
  busy: { title: 'An upload is under way', description: 'Files can be added when it is through.' },
  empty: { title: 'Nothing to send', description: 'There was no file in what you chose.' },
  strangers: {
    title: 'These are other files',
    description: 'None of them belongs to the unfinished upload. Please choose the same files again.',
  },
} satisfies Record<string, ToastInput>;

/** The state of a page that uploads files: selected files, what they continue, and the engine that sends them. */
export class UploadStore {
  readonly #engine: UploadEngine;
  readonly #transport: UploadTransport;
  readonly #scope: UploadScope;
  readonly #joins: string | undefined;
  readonly #listeners = new Set<() => void>();
  #page: UploadPage | undefined;
  #state: UploadState;
  /** Handles that reopen the files after a reload. */
  #roots: FileSystemHandle[] = [];
  #settings: TransferSettingsInput = {};
  #lock: { transferId: string; release: () => void } | undefined;
  #waiting = new AbortController();
  #isOpen = false;

  constructor({ transport, scope = '', joins }: StoreOptions) {
    this.#transport = transport;
    this.#scope = scope;
    this.#joins = joins;
    this.#engine = new UploadEngine(transport, { joins });
    this.#state = {
      ...this.#engine.state,
      isActive: false,
      unfinished: [],
      resuming: undefined,
      isAskingAboutMissing: false,
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

  /** Loads what is unfinished and listens to the browser. Returns a function that gives up and stops all of it. */
  open(): () => void {
    const closing = new AbortController();
    const { signal } = closing;
    window.addEventListener('online', () => this.#engine.wake(), { signal });
    document.addEventListener('visibilitychange', () => void this.#wakeWhenVisible(), { signal });
    this.#isOpen = true;
    void this.#refreshUnfinished();
    return () => {
      this.#isOpen = false;
      closing.abort();
      this.#waiting.abort();
      this.#engine.reset();
    };
  }

  /** Adds files to the list. With `continued` they must belong to that unfinished transfer. */
  addFiles = (pick: FilePick, continued?: UnfinishedTransfer) => {
    const { items, resuming } = this.#state;
    if (this.#engine.isActive) return toast(REFUSED_PICKS.busy);
    if (pick.files.length === 0) return toast(REFUSED_PICKS.empty);
    const found = items.length === 0 ? findContinuation(pick.files, this.#listResumable()) : undefined;
    const transfer = resuming?.transfer ?? continued ?? found;
    const files = transfer ? selectForContinuation(pick.files, transfer, { mayAdd: !continued }) : pick.files;
    if (files.length === 0) return toast(REFUSED_PICKS.strangers);

    const unfinished = resuming?.missing ?? transfer?.uploads ?? [];
    const added = withoutKnown(items, files.map(createItem));
    const breach = this.#requirePage().findBreach(measure([...items, ...added], unfinished));
    if (breach) return toastError(breach);
    this.#engine.add(added);
    this.#roots = [...this.#roots, ...pick.roots];
    if (!transfer) return;

    const missing = this.#engine.adopt(unfinished, {
      completedFiles: transfer.record?.completedFiles,
      isUnchanged: (item) => isUnchanged(item, transfer),
    });
    this.#update({ resuming: { transfer, missing } });
    if (resuming || !this.#restoreSettings(transfer)) return;
    const isComplete = missing.length === 0 && this.#state.items.every((item) => item.uploadId);
    if (isComplete) void this.#send();
  };

  /** Takes files off the list, and deletes what the server has of them. */
  remove = (items: UploadItem[]): void => {
    const { transferId, resuming, phase, items: listed } = this.#state;
    const isAll = items.length === listed.length;
    if (isAll && resuming && phase === 'idle') {
      // Resuming was called off: the transfer stays on the list of unfinished uploads.
      this.#engine.reset();
    } else {
      this.#engine.remove(items);
      if (isAll && transferId) {
        void removeRecord(transferId);
        this.#forget(transferId);
      }
    }
    if (isAll) this.#clearSelection();
  };

  /** Sends. Asks first if files of a resumed transfer are missing. */
  submit = (): void => {
    if (this.#engine.isActive) return;
    if (this.#state.items.length === 0) toastError(this.#requirePage().noFiles);
    else if (this.#state.resuming?.missing.length) this.#update({ isAskingAboutMissing: true });
    else void this.#send();
  };

  answerAboutMissing(continues: boolean): void {
    this.#update({ isAskingAboutMissing: false });
    if (!continues) return;
    this.dropMissing();
    void this.#send();
  }

  /** Continues without the files that were not selected again; the server deletes what it has of them. */
  dropMissing = (): void => {
    const { resuming } = this.#state;
    if (!resuming) return;
    this.#engine.abandon(resuming.missing);
    this.#update({ resuming: { ...resuming, missing: [] } });
  };

  /** Turns the selected files of a resumed transfer into a new one. */
  startAnew = (): void => {
    const files = this.#state.items.flatMap(({ file, relativePath }) =>
      file ? createItem({ file, relativePath }) : [],
    );
    this.#engine.reset();
    this.#engine.add(files);
    this.#update({ resuming: undefined });
  };

  pause = (): void => this.#engine.pause();

  resume = (): void => this.#engine.resume();

  /** Gives the whole upload up, here and on the server. */
  cancel = async (): Promise<void> => {
    const { transferId, resuming } = this.#state;
    if (transferId) {
      this.#forget(transferId);
      void removeRecord(transferId);
    }
    this.#clearSelection();
    await this.#engine.cancel(resuming?.missing);
    toast({ title: 'Upload cancelled', description: 'What had been sent was deleted.' });
    await this.#page?.onFreed?.();
  };

  /** Reopens the files of an unfinished transfer by the handles this device kept. */
  continueTransfer = async (transfer: UnfinishedTransfer): Promise<void> => {
    const pick = await reopenFiles(transfer.record!.roots);
    if (pick) this.addFiles(pick, transfer);
    else
      toastError({
        title: 'The files could not be opened',
        description: 'Please choose the same files again; they go on where they stopped.',
      });
  };

  /** Completes a transfer whose files have all arrived, unless its settings have to be entered again. */
  finishTransfer = (transfer: UnfinishedTransfer): void => {
    const missing = this.#engine.adopt(transfer.uploads, {
      completedFiles: transfer.record?.completedFiles,
    });
    this.#update({ resuming: { transfer, missing } });
    if (this.#restoreSettings(transfer)) void this.#send();
  };

  discardTransfers = async (transfers: UnfinishedTransfer[]): Promise<void> => {
    try {
      for (const transfer of transfers) {
        await discardUnfinished(this.#transport, transfer);
        await removeRecord(transfer.transferId);
        this.#forget(transfer.transferId);
      }
    } catch (error) {
      toastError({ title: 'Error', description: errorDetail(error) });
    }
    await this.#page?.onFreed?.();
  };

  async #send() {
    const page = this.#requirePage();
    const settings = await page.collectSettings();
    if (!settings) return;
    const breach = page.findBreach(measure(this.#state.items, []));
    if (breach) return toastError(breach);
    // An error of the last attempt no longer applies.
    dismissToast();
    page.onStart?.();
    this.#settings = settings;
    await this.#engine.start(settings);
    const end = this.#engine.state;
    if (end.phase === 'success') {
      const { transferId } = end;
      if (transferId) await removeRecord(transferId);
      this.#engine.reset();
      this.#clearSelection();
      if (transferId) this.#forget(transferId);
    }
    this.#requirePage().onEnd(end, settings);
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

  #forget(transferId: string): void {
    this.#setUnfinished(this.#state.unfinished.filter((each) => each.transferId !== transferId));
  }

  async #refreshUnfinished(): Promise<void> {
    // The cache reports an ended session; nothing is kept there.
    const found = await queryClient
      .fetchQuery({
        queryKey: ['/api/uploads', this.#scope],
        queryFn: () => loadUnfinished(this.#transport, this.#scope),
        staleTime: 0,
        gcTime: 0,
      })
      .catch(() => undefined);
    if (!found || !this.#isOpen) return;
    this.#setUnfinished(this.#joins ? found.filter(({ transferId }) => transferId === this.#joins) : found);
  }

  /** Refreshes the list when another window stops sending one of the transfers. */
  #setUnfinished(unfinished: readonly UnfinishedTransfer[]): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    const refresh = () => void this.#refreshUnfinished();
    for (const { transferId, isElsewhere } of unfinished)
      if (isElsewhere) waitUntilUnlocked(transferId, signal).then(refresh, () => {});
    this.#update({ unfinished });
  }

  /** Continues at once when the person comes back to the tab, also from signing in. */
  async #wakeWhenVisible(): Promise<void> {
    if (document.visibilityState !== 'visible') return;
    this.#engine.wake();
    const needsSignIn = () => this.#engine.state.trouble?.kind === 'sign-in';
    if (!needsSignIn()) return;
    const isKnown = await this.#page?.isSenderKnown().catch(() => false);
    if (isKnown && needsSignIn()) this.#engine.resume();
  }

  #update(change: Partial<UploadState> = {}): void {
    const before = this.#state;
    const { state, isActive } = this.#engine;
    this.#state = { ...before, ...change, ...state, isActive };
    this.#lockWhileActive();
    if (RECORDED.some((name) => this.#state[name] !== before[name])) this.#saveRecord();
    for (const listener of this.#listeners) listener();
  }

  /** Tells the other windows of this browser which transfer this one is sending. */
  #lockWhileActive(): void {
    const transferId = this.#state.isActive ? this.#state.transferId : undefined;
    if (transferId === this.#lock?.transferId) return;
    this.#lock?.release();
    this.#lock = transferId ? { transferId, release: lockTransfer(transferId) } : undefined;
  }

  /** Stores on this device what resuming after a reload needs. */
  #saveRecord(): void {
    const { transferId, isActive, phase, items, fileCount, completedFiles } = this.#state;
    if (!transferId || !isActive || phase === 'success') return;
    const { password, ...settings } = this.#settings;
    const modified = items.flatMap((item) =>
      item.file ? [[fingerprint(item), item.file.lastModified] as const] : [],
    );
    void saveRecord({
      transferId,
      scope: this.#scope,
      fileCount,
      completedFiles,
      settings,
      hadPassword: Boolean(password),
      roots: this.#roots,
      modified: Object.fromEntries(modified),
      savedAt: Date.now(),
    });
  }
}

/** The resume record is saved again when one of these changes. */
const RECORDED = ['transferId', 'isActive', 'phase', 'items', 'fileCount', 'completedFiles'] as const;

function withoutKnown(known: readonly UploadItem[], items: UploadItem[]): UploadItem[] {
  const keys = new Set(known.map(choiceKey));
  const arrived = new Set(known.filter(({ file }) => !file).map(fingerprint));
  return items.filter((item) => !keys.has(choiceKey(item)) && !arrived.has(fingerprint(item)));
}

/** The server reserved the bytes of unfinished uploads when they were announced. */
function measure(items: readonly UploadItem[], unfinished: UnfinishedUpload[]): Load {
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
