import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Transfer, TransferDetail, TransferFile } from '../../contracts/transfers/transfers.ts';
import { WrongKeyError } from '../../encryption/errors.ts';
import type { ManifestFile } from '../../encryption/manifest.ts';
import { loadForUser } from '../lib/loading/load-for-user.ts';
import { useKeys } from './use-keys.ts';

type Readable = {
  files: TransferFile[];
  message: string | null;
  /** 'closed': this browser lacks the key or the password. */
  names: 'known' | 'loading' | 'closed' | LoadingFailure;
};

type LoadingFailure = { error: Error; retry: () => void };

/** The files of an encrypted transfer with their names, which are in its sealed manifest. */
export function useReadableFiles(transfer: TransferDetail, files: TransferFile[]): Readable {
  const { encryption } = transfer;
  const { manifest, isLoading, failure } = useOwnManifest(transfer);
  const readable = useMemo(() => {
    if (!encryption) return { files, message: transfer.message };
    const known = new Map(manifest?.files.map((file) => [file.fileId, file]));
    return {
      files: files.map((file, index) => nameFile(file, known.get(file.originalName), index)),
      message: manifest?.message ?? null,
    };
  }, [encryption, transfer.message, files, manifest]);
  const isKnown = !encryption || manifest !== undefined;
  return { ...readable, names: isKnown ? 'known' : isLoading ? 'loading' : (failure ?? 'closed') };
}

/** The manifest of the user's own encrypted transfer, if this browser has its key. */
export function useOwnManifest({
  id,
  encryption,
  fileCount,
}: Pick<Transfer, 'id' | 'encryption' | 'fileCount'>) {
  const keys = useKeys(encryption !== null);
  const kept = keys?.get(id);
  const query = useQuery({
    queryKey: ['manifest', id, fileCount, kept?.savedAt],
    queryFn: async ({ signal }) =>
      (await loadForUser(() => import('./open-manifest.ts'))).openOwnManifest(kept!, signal),
    enabled: kept !== undefined,
  });
  const { data: manifest, error } = query;
  const isClosed = error === null || error instanceof WrongKeyError;
  return {
    kept,
    manifest,
    isLoading: keys === undefined || query.isFetching,
    failure: isClosed ? undefined : { error, retry: () => void query.refetch() },
  };
}

function nameFile(file: TransferFile, known: ManifestFile | undefined, index: number): TransferFile {
  if (!known) {
    const name = t`Encrypted file ${index + 1}`;
    return { ...file, originalName: name, relativePath: name };
  }
  const { path, mimeType, size } = known;
  return { ...file, originalName: path.slice(path.lastIndexOf('/') + 1), relativePath: path, mimeType, size };
}
