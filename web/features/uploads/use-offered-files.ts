import { useEffect } from 'react';
import { takeOfferedFiles } from '../../uploading/files/offered-files.ts';
import type { UploadStore } from '../../uploading/upload-store.ts';

/** Adds the files that were dropped or pasted on another page. */
export function useOfferedFiles(store: UploadStore): void {
  useEffect(() => {
    const pick = takeOfferedFiles();
    if (pick) void store.addFiles(pick);
  }, [store]);
}
