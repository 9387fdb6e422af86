type HandleItem = DataTransferItem & { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> };

/** A dropped file or folder. Protected folders have no handle. Pictures dragged from a page have no entry either. */
export type DroppedItem = {
  handle: Promise<FileSystemHandle | null> | undefined;
  entry: FileSystemEntry | null;
  file: File | null;
};

/** Must be called within the drop event: afterwards the browser discards the dropped items. */
export function collectDropped(transfer: DataTransfer): DroppedItem[] {
  const items = [...transfer.items].filter((item) => item.kind === 'file') as HandleItem[];
  return items.map((item) => ({
    handle: item.getAsFileSystemHandle?.().catch(() => null),
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
}

export function carriesFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
