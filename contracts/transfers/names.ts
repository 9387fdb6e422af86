import { countOf, formatCount } from '../values/format.ts';
import { normaliseFileName, shortenFileName } from '../values/names/file-names.ts';

export type NamedTransfer = {
  title?: string | null | undefined;
  /** Needed without a title. Absent where file names must not show. */
  firstFileName?: string | null | undefined;
  fileCount?: number | undefined;
  /** Set for an end-to-end encrypted transfer, whose names only its sender and recipients know. */
  encryption?: unknown;
};

const FILE_NAME_MAX = 60;

/** What a name consists of where the sender wrote no title. */
type NameWords = {
  formatCount(count: number): string;
  untitled: string;
  encrypted: string;
  files(count: number): string;
};

const ENGLISH: NameWords = {
  formatCount,
  untitled: 'Untitled transfer',
  encrypted: 'Encrypted transfer',
  files: (count) => `${countOf(count, 'file')} for you`,
};

/** The title, or the files: "Harbor.jpg", "Harbor.jpg + 1". In English unless other words are given. */
export function nameTransfer(
  { title, firstFileName, fileCount = 0, encryption }: NamedTransfer,
  words: NameWords = ENGLISH,
): string {
  if (title) return title;
  if (encryption) return words.encrypted;
  if (!firstFileName) return fileCount > 0 ? words.files(fileCount) : words.untitled;
  const name = shortenFileName(firstFileName, FILE_NAME_MAX);
  return fileCount > 1 ? `${name} + ${words.formatCount(fileCount - 1)}` : name;
}

/** The file name of its zip, without a path. */
export function nameZip(transfer: NamedTransfer): string {
  return normaliseFileName(`${nameTransfer(transfer)}.zip`);
}
