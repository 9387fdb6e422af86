import { type DraftFile, deleteDraftFiles, saveDraftFiles } from './draft-files.ts';

/** The files of an encrypted draft, in memory and on this device. */
export class DraftRecorder {
  readonly #files = new Map<string, DraftFile>();
  readonly #changed = new Set<DraftFile>();
  #transferId: string | undefined;
  #saving: Promise<void> | undefined;

  /** With `transferId` the files are on this device already. */
  constructor(files: readonly DraftFile[] = [], transferId?: string) {
    for (const file of files) this.#files.set(file.fileId, file);
    this.#transferId = transferId;
  }

  add(file: DraftFile): void {
    this.#files.set(file.fileId, file);
    this.#changed.add(file);
  }

  get(fileId: string): DraftFile | undefined {
    return this.#files.get(fileId);
  }

  list(): DraftFile[] {
    return [...this.#files.values()];
  }

  /** Saves what was added. Resolves when it is on this device. */
  save(transferId: string): Promise<void> {
    this.#transferId = transferId;
    this.#saving ??= this.#saveChanges(transferId).finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  recordChunk(fileId: string, index: number, crc32: number): void {
    const file = this.#files.get(fileId);
    if (!file) return;
    file.crcs[index] = crc32;
    this.#changed.add(file);
    if (this.#transferId) void this.save(this.#transferId);
  }

  forget(fileIds: readonly string[]): void {
    for (const fileId of fileIds) {
      const file = this.#files.get(fileId);
      if (file) this.#changed.delete(file);
      this.#files.delete(fileId);
    }
    if (this.#transferId) void deleteDraftFiles(this.#transferId, fileIds);
  }

  /** One transaction at a time: many small files arrive faster than they can be saved one by one. */
  async #saveChanges(transferId: string): Promise<void> {
    while (this.#changed.size > 0) {
      const files = [...this.#changed];
      this.#changed.clear();
      await saveDraftFiles(transferId, files);
    }
  }
}
