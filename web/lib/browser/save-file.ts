/** Some versions of Safari read the bytes only after the next task. */
const KEPT_MS = 40_000;

/** Saves a small file as a download. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
