import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import type { DownloadView } from '../../contracts/transfers/downloads/downloads.ts';
import { encodeSelection, SELECTION_MAX } from '../../contracts/transfers/downloads/selection.ts';
import { nameZip } from '../../contracts/transfers/names.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import {
  bagDownloadPath,
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../contracts/values/addresses/links.ts';
import { toOneLine } from '../progress/words.ts';
import type { ExpectedFile, ReceivePlan } from './journal.ts';
import { safeNames } from './safe-names.ts';
import type { Share } from './share.ts';

export type PlanOptions = { file?: string; zip?: true; bag?: true; portableNames?: true };

/** A file with the name, size and checksum that its recipient gets. */
export type ListedFile = Pick<TransferFile, 'id' | 'position' | 'originalName' | 'relativePath' | 'size'> &
  Pick<ExpectedFile, 'sha256' | 'sealed'> & {
    /** Epoch milliseconds; null if unknown. */
    modifiedAt: number | null;
    isExecutable: boolean;
  };

/** Servers of earlier releases say neither when a file was modified nor whether it is executable. */
export function toListedFile(file: TransferFile): ListedFile {
  const { modifiedAt, isExecutable } = file as Partial<TransferFile>;
  return {
    ...file,
    modifiedAt: modifiedAt ? Date.parse(modifiedAt) : null,
    isExecutable: isExecutable ?? false,
  };
}

type Listing = {
  view: DownloadView;
  /** All that can be received, in the order of the server's list. */
  files: ListedFile[];
  /** Whether the server's zip has just these files. */
  isComplete: boolean;
  /** Of an encrypted transfer. */
  title?: string | null;
};

/**
 * Plans a single request for a file, a zip of some files, or the zip of all, because each request counts as a
 * download.
 */
export function planReceive(
  { server, token, recipientToken }: Share,
  { view, files: listed, isComplete, title }: Listing,
  options: PlanOptions,
): Omit<ReceivePlan, 'id' | 'to' | 'startedAt' | 'encryption'> {
  const files = listExpected(listed, options);
  const wanted = chooseFiles(listed, files, options.file);
  const totalBytes = wanted.reduce((sum, { size }) => sum + size!, 0);
  const common = { server, token, totalBytes };
  const [only] = wanted;
  if (wanted.length === 1 && !options.bag) {
    const path = fileDownloadPath(token, listed[only!.place!]!.id, recipientToken);
    return { ...common, kind: 'file', path, files: wanted };
  }
  const path =
    isComplete && wanted.length === files.length
      ? zipDownloadPath(token, recipientToken)
      : selectionPath(
          token,
          wanted.map(({ place }) => listed[place!]!.position),
          recipientToken,
        );
  if (!options.zip && !options.bag) return { ...common, kind: 'zip', path, files: wanted };
  if (only?.sealed) {
    const names = [
      ...wanted.map((file) => file.name),
      nameZip({ title, firstFileName: baseName(only.name), fileCount: wanted.length }),
    ];
    const zipName = safeNames(names, { isWindows: isWindows(options) }).at(-1)!;
    return { ...common, kind: 'zip', path, files: wanted, zipName };
  }
  const name = nameZip(view);
  const zip: ExpectedFile = { name, place: undefined, size: undefined, sha256: null };
  return {
    ...common,
    totalBytes: view.zipSize ?? totalBytes,
    kind: 'file',
    path: options.bag ? bagDownloadPath(path) : path,
    files: [zip],
  };
}

function selectionPath(token: string, positions: number[], recipientToken: string | undefined): string {
  const selection = encodeSelection(positions);
  if (selection.length > SELECTION_MAX)
    throw new CommandError(
      EXIT.refused,
      'This selection is too large. Receive the whole transfer, or a single file.',
    );
  return selectionDownloadPath(token, selection, recipientToken);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isWindows({ portableNames }: PlanOptions): boolean {
  return process.platform === 'win32' || portableNames === true;
}

function listExpected(files: readonly ListedFile[], options: PlanOptions): ExpectedFile[] {
  const names = safeNames(
    files.map(({ relativePath }) => relativePath),
    { isWindows: isWindows(options) },
  );
  return files.map(({ size, sha256, modifiedAt, isExecutable, sealed }, place) => ({
    name: names[place]!,
    place,
    size,
    sha256,
    ...(modifiedAt !== null && { modifiedAt }),
    ...(isExecutable && { isExecutable }),
    ...(sealed && { sealed }),
  }));
}

/** Matches the path, else the name, else all files in the folder of that path. */
function chooseFiles(
  files: readonly ListedFile[],
  all: ExpectedFile[],
  nameOrPath: string | undefined,
): ExpectedFile[] {
  if (all.length === 0) throw new CommandError(EXIT.failed, 'This transfer has no files.');
  if (nameOrPath === undefined) return all;
  const path = nameOrPath.replace(/\/+$/, '');
  const tests: ((file: ListedFile) => boolean)[] = [
    ({ relativePath }) => relativePath === path,
    ({ originalName }) => originalName === path,
    ({ relativePath }) => relativePath.startsWith(`${path}/`),
  ];
  for (const isWanted of tests) {
    const found = all.filter(({ place }) => isWanted(files[place!]!));
    if (found.length > 0) return found;
  }
  throw new CommandError(EXIT.failed, `There is no “${toOneLine(nameOrPath)}” in this transfer.`);
}
