import { normaliseFileName, shortenFileName } from '../values/file-names.ts';
import { countOf, formatCount } from '../values/format.ts';

export type NamedTransfer = {
  title?: string | null | undefined;
  /** Needed without a title. Absent where file names must not show. */
  firstFileName?: string | null | undefined;
  fileCount?: number | undefined;
};

const FILE_NAME_MAX = 60;

/** The title, or the files: "Harbor.jpg", "Harbor.jpg + 1". */
export function nameTransfer({ title, firstFileName, fileCount = 0 }: NamedTransfer): string {
  if (title) return title;
  if (!firstFileName) return fileCount > 0 ? `${countOf(fileCount, 'file')} for you` : 'Untitled transfer';
  const name = shortenFileName(firstFileName, FILE_NAME_MAX);
  return fileCount > 1 ? `${name} + ${formatCount(fileCount - 1)}` : name;
}

/** The file name of its zip, without a path. */
export function nameZip(transfer: NamedTransfer): string {
  return normaliseFileName(`${nameTransfer(transfer)}.zip`);
}
