import { type Comparison, compareFiles, type KnownFile } from '../../../../client/compare-files.ts';
import { listTransferFiles } from '../../../../contracts/transfers/transfers.ts';
import { listVersions } from '../../../../contracts/transfers/versions.ts';
import { normalisePath } from '../../../../contracts/values/names/file-names.ts';
import { fetchPages } from '../../../../contracts/values/paging.ts';
import { call, callPage } from '../../../api/call.ts';
import { FileWorker } from '../../../uploading/engine/file-worker.ts';
import type { PickedFile } from '../../../uploading/files/picked-files.ts';
import workerUrl from './sha256.worker.ts?worker&url';

/** A chosen file, with its path as the server normalizes it. */
export type ChosenFile = PickedFile & { size: number };

export type Change = {
  kind: 'changed' | 'added' | 'moved' | 'removed';
  relativePath: string;
  /** Of a moved file. */
  from?: string;
};

export type UpdatePlan = Comparison<ChosenFile> & {
  /** The version that the files were compared with. */
  version: number;
  changes: Change[];
  /** Bytes of the files to send. */
  bytes: number;
};

type Options = {
  transferId: string;
  picked: PickedFile[];
  /** From 0 to 1. */
  onProgress: (share: number) => void;
  signal: AbortSignal;
};

/** Throws ApiError, NetworkError, UnreadableFileError, or the signal's reason. */
export async function planUpdateOf({ transferId, picked, onProgress, signal }: Options): Promise<UpdatePlan> {
  // Read first: a file list that is newer than its version only makes `publishUpdate` refuse.
  const [current] = await call(listVersions, { params: { id: transferId }, signal });
  const known = await listKnownFiles(transferId, signal);
  const local = chooseOnce(picked);
  const hasher = new FileWorker<Blob, string>(workerUrl);
  const stop = () => hasher.close(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const hash = meterHashing(hasher, { known, local, onProgress });
    const comparison = await compareFiles({ known, local, hash });
    const bytes = comparison.send.reduce((sum, { size }) => sum + size, 0);
    const changes = listChanges(known, comparison);
    return { ...comparison, version: current!.version, changes, bytes };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Whether the chosen files are in the transfer already, and nothing else is in their folders. */
export function isEmptyPlan({ send, reused, removed }: UpdatePlan): boolean {
  return send.length === 0 && reused.length === 0 && removed.length === 0;
}

async function listKnownFiles(id: string, signal: AbortSignal): Promise<KnownFile[]> {
  const fetchPage = (cursor?: string) =>
    callPage(listTransferFiles, { params: { id }, query: { cursor }, signal });
  const first = await fetchPage();
  const known: KnownFile[] = [...first.items];
  for await (const page of fetchPages(first.nextCursor, fetchPage)) known.push(...page);
  return known;
}

/** A file chosen twice counts once. */
function chooseOnce(picked: PickedFile[]): ChosenFile[] {
  const files = picked.map(({ file, relativePath }) => {
    const path = normalisePath(relativePath) ?? relativePath;
    return [path, { file, relativePath: path, size: file.size }] as const;
  });
  return [...new Map(files).values()];
}

type Hashing = Pick<Options, 'onProgress'> & { known: KnownFile[]; local: ChosenFile[] };

/** Hashes files and reports the share of bytes that is done. */
function meterHashing(hasher: FileWorker<Blob, string>, { known, local, onProgress }: Hashing) {
  const sizes = new Set(known.map(({ size }) => size));
  const total = local.reduce((sum, { size }) => sum + (sizes.has(size) ? size : 0), 0);
  let done = 0;
  return async ({ file, size }: ChosenFile) => {
    const sha256 = await hasher.run(file, (bytes) => onProgress((done + bytes) / total));
    done += size;
    if (total > 0) onProgress(done / total);
    return sha256;
  };
}

/** What recipients will notice. */
function listChanges(known: KnownFile[], { send, reused, removed }: Comparison<ChosenFile>): Change[] {
  const paths = new Set(known.map(({ relativePath }) => relativePath));
  const byId = new Map(known.map((file) => [file.id, file.relativePath]));
  const ended = new Set(removed);
  const explained = new Set([...send, ...reused].map(({ relativePath }) => relativePath));
  const changes: Change[] = send.map(({ relativePath }) => ({
    kind: paths.has(relativePath) ? 'changed' : 'added',
    relativePath,
  }));
  for (const { fileId, relativePath } of reused) {
    const from = byId.get(fileId)!;
    if (paths.has(relativePath)) changes.push({ kind: 'changed', relativePath });
    else if (ended.has(fileId) && !explained.has(from)) {
      changes.push({ kind: 'moved', relativePath, from });
      explained.add(from);
    } else changes.push({ kind: 'added', relativePath });
  }
  for (const id of removed) {
    const relativePath = byId.get(id)!;
    if (!explained.has(relativePath)) changes.push({ kind: 'removed', relativePath });
  }
  return changes;
}
