import type { TransferSettingsInput } from '../../../contracts/transfers/uploads/uploads.ts';
import type { EngineState } from '../engine/engine-state.ts';
import { fingerprint } from '../engine/upload-item.ts';
import { type ModificationTimes, saveRecord, type UploadScope } from './resume-records.ts';
import { lockTransfer } from './transfer-lock.ts';

type Progress = Pick<
  EngineState,
  'transferId' | 'phase' | 'items' | 'fileCount' | 'completedFiles' | 'isSubmitted' | 'isEncrypted'
> & {
  isUnfinished: boolean;
};

/** What the engine doesn't know: the settings to send, and handles that reopen the files. */
type Resumable = { settings: () => TransferSettingsInput; roots: FileSystemHandle[] };

/** The record is saved again when one of these changes. */
const RECORDED = [
  'transferId',
  'isUnfinished',
  'isSubmitted',
  'phase',
  'items',
  'fileCount',
  'completedFiles',
] as const;

/**
 * While an upload is unfinished, stores what resuming after a reload needs, and tells the other windows of this browser
 * that this one is sending.
 */
export class ResumeRecorder {
  readonly #scope: UploadScope;
  #last: Progress | undefined;
  /** Whose modification times are stored. */
  #timed: Pick<Progress, 'transferId' | 'items'> | undefined;
  #lock: { transferId: string; release: () => void } | undefined;

  constructor(scope: UploadScope) {
    this.#scope = scope;
  }

  /** Call it with every change of the engine's state, and with `hasNewSettings` when only the settings have changed. */
  update(progress: Progress, resumable: Resumable, hasNewSettings = false): void {
    const last = this.#last;
    this.#last = progress;
    this.#lockWhileUnfinished(progress);
    if (hasNewSettings || RECORDED.some((name) => progress[name] !== last?.[name]))
      this.#save(progress, resumable);
  }

  #lockWhileUnfinished({ isUnfinished, transferId }: Progress): void {
    const active = isUnfinished ? transferId : undefined;
    if (active === this.#lock?.transferId) return;
    this.#lock?.release();
    this.#lock = active ? { transferId: active, release: lockTransfer(active) } : undefined;
  }

  #save(progress: Progress, { settings, roots }: Resumable): void {
    const { transferId, isUnfinished, isSubmitted, phase, items, fileCount, completedFiles, isEncrypted } =
      progress;
    if (!transferId || !isUnfinished || phase === 'success') return;
    const { password, ...kept } = settings();
    const isTimed = this.#timed?.transferId === transferId && this.#timed.items === items;
    this.#timed = { transferId, items };
    void saveRecord(
      {
        transferId,
        scope: this.#scope,
        fileCount,
        completedFiles,
        settings: kept,
        isSubmitted,
        // The keys of an encrypted transfer contain it.
        hadPassword: Boolean(password) && !isEncrypted,
        roots,
        savedAt: Date.now(),
      },
      isTimed ? undefined : readTimes(items),
    );
  }
}

function readTimes(items: Progress['items']): ModificationTimes {
  const times: ModificationTimes = {};
  for (const item of items) if (item.file) times[fingerprint(item)] = item.file.lastModified;
  return times;
}
