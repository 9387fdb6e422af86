import { promisifyRequest } from 'idb-keyval';
import { openStore } from '../../lib/browser/database.ts';
import { fingerprint, hashFingerprint } from '../engine/upload-item.ts';

/**
 * A file of an unfinished encrypted upload. The server knows only its `fileId` and the size of its ciphertext; this
 * device knows the rest, until the manifest is sent.
 */
export type DraftFile = {
  fileId: string;
  /** Folders and name, separated by `/`. */
  path: string;
  /** The sender signed out: `path` is a checksum, and the file has to be chosen again. */
  isNameless?: true;
  /** Bytes of the plaintext. */
  size: number;
  mimeType: string;
  /** Epoch milliseconds. */
  modifiedAt: number | null;
  /** CRC-32 of each chunk's plaintext that has arrived. */
  crcs: (number | undefined)[];
};

const store = () => openStore('sendwell-encrypted-drafts', 'files');

/** Keys sort by transfer, so that the files of one are a range. */
function keyOf(transferId: string, fileId: string): string {
  return `${transferId}/${fileId}`;
}

function rangeOf(transferId: string): IDBKeyRange {
  return IDBKeyRange.bound(`${transferId}/`, `${transferId}0`, false, true);
}

/** In one transaction. Without storage, uploads work but can't resume after a reload. */
export async function saveDraftFiles(transferId: string, files: readonly DraftFile[]): Promise<void> {
  await store()('readwrite', (rows) => {
    for (const file of files) rows.put(file, keyOf(transferId, file.fileId));
    return promisifyRequest(rows.transaction);
  }).catch(() => {});
}

export async function listDraftFiles(transferId: string): Promise<DraftFile[]> {
  return store()('readonly', (rows) => promisifyRequest<DraftFile[]>(rows.getAll(rangeOf(transferId)))).catch(
    () => [],
  );
}

export async function deleteDraftFiles(transferId: string, fileIds?: readonly string[]): Promise<void> {
  await store()('readwrite', (rows) => {
    if (fileIds) for (const fileId of fileIds) rows.delete(keyOf(transferId, fileId));
    else rows.delete(rangeOf(transferId));
    return promisifyRequest(rows.transaction);
  }).catch(() => {});
}

/** Removes names after signing out. Their checksums remain, which is enough to resume with the same files. */
export async function reduceDraftFiles(): Promise<void> {
  await store()('readwrite', async (rows) => {
    const [keys, files] = await Promise.all([
      promisifyRequest(rows.getAllKeys()),
      promisifyRequest<DraftFile[]>(rows.getAll()),
    ]);
    for (const [index, file] of files.entries())
      if (!file.isNameless) rows.put({ ...file, path: hashPath(file), isNameless: true }, keys[index]);
  }).catch(() => {});
}

function hashPath({ path, size }: DraftFile): string {
  return hashFingerprint(fingerprint({ relativePath: path, size })).slice(`${size}:`.length);
}
