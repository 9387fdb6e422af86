type Pickers = {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>;
};

/** Whether the browser lets a page write a file piece by piece; elsewhere its own download is the only way. */
export function canStreamToFile(): boolean {
  return 'showSaveFilePicker' in window;
}

/** A place that the person chooses; undefined when they change their mind. */
export async function pickPlace(suggestedName: string): Promise<FileSystemWritableFileStream | undefined> {
  try {
    const place = await (window as Pickers).showSaveFilePicker?.({ suggestedName });
    return await place?.createWritable();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}
