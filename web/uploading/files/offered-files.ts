import type { FilePick } from './picked-files.ts';

let offered: FilePick | undefined;

/** Passes files that were dropped or pasted on another page to the upload page. */
export function offerFiles(pick: FilePick): void {
  offered = pick;
}

/** Returns the offered files once. */
export function takeOfferedFiles(): FilePick | undefined {
  const pick = offered;
  offered = undefined;
  return pick;
}
