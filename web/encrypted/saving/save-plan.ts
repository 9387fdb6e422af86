import { encodeSelection, SELECTION_MAX } from '../../../contracts/transfers/downloads/selection.ts';
import { encryptedSize } from '../../../contracts/transfers/encryption.ts';
import {
  fileDownloadPath,
  selectionDownloadPath,
  zipDownloadPath,
} from '../../../contracts/values/addresses/links.ts';
import { cleanPath, numberNamesInSteps, runSteps } from '../../../contracts/values/names/unique-names.ts';
import { layOutFiles } from '../../../contracts/zip/file-zip.ts';
import { dataStart } from '../../../contracts/zip/layout.ts';
import type { RecipientFile } from '../loading/recipient-files.ts';

/** A file to save, and where its ciphertext is in the download. */
export type PlannedFile = {
  fileId: string;
  /** '/'-separated, safe to write, unique within the plan. */
  path: string;
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
  isTimeKnown: boolean;
  isExecutable: boolean;
  crc32: number | null;
  sealedStart: number;
};

export type SavePlan = {
  /** Of the ciphertext: a file, a selection or everything. */
  downloadPath: string;
  downloadBytes: number;
  /** In the order of the download. */
  files: PlannedFile[];
};

type Share = { token: string; recipientToken: string | undefined };

/** `isAll`: these are all files of the transfer. 'too-many' if a selection is too long for an address. */
export function planSave(
  share: Share,
  files: readonly RecipientFile[],
  { isAll }: { isAll: boolean },
): SavePlan | 'too-many' {
  const sorted = [...files].sort((one, other) => one.position - other.position);
  const named = nameFiles(sorted);
  const [only] = sorted;
  if (only && sorted.length === 1) {
    const downloadPath = fileDownloadPath(share.token, only.id, share.recipientToken);
    return { downloadPath, downloadBytes: encryptedSize(only.size), files: named(() => 0) };
  }
  // The server's zip of the ciphertexts, which it names by their ids.
  const layout = layOutFiles(
    sorted.map(({ fileId, size }) => ({
      path: fileId,
      sizeBytes: encryptedSize(size),
      crc32: 0,
      modifiedAt: 0,
    })),
  );
  const selection = isAll ? undefined : encodeSelection(sorted.map(({ position }) => position));
  if (selection !== undefined && selection.length > SELECTION_MAX) return 'too-many';
  return {
    downloadPath:
      selection === undefined
        ? zipDownloadPath(share.token, share.recipientToken)
        : selectionDownloadPath(share.token, selection, share.recipientToken),
    downloadBytes: layout.sizeBytes,
    files: named((index) => dataStart(layout, index)),
  };
}

function nameFiles(files: readonly RecipientFile[]) {
  const paths = runSteps(numberNamesInSteps(files.map(({ path }) => cleanPath(path, cleanPart))));
  return (startOf: (index: number) => number): PlannedFile[] =>
    files.map(({ fileId, size, modifiedAt, isTimeKnown, isExecutable, crc32 }, index) => ({
      fileId,
      path: paths[index]!,
      size,
      modifiedAt,
      isTimeKnown,
      isExecutable,
      crc32,
      sealedStart: startOf(index),
    }));
}

const REFUSED_BY_WINDOWS = /[<>:"|?*]/g;
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/** Also fit for Windows, whose names are the strictest. */
function cleanPart(part: string): string {
  const clean = part.replace(REFUSED_BY_WINDOWS, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length));
  return clean.replace(DEVICE, '$1_');
}
