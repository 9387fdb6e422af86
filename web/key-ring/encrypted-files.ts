import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Transfer, TransferDetail, TransferFile } from '../../contracts/transfers/transfers.ts';
import type { ManifestFile } from '../../encryption/manifest.ts';
import { useKeys } from './use-keys.ts';

type Readable = {
  files: TransferFile[];
  message: string | null;
  /** Whether the names are known, or the transfer is not encrypted. */
  isReadable: boolean;
};

/** The files of an encrypted transfer with their names, which are in its sealed manifest. */
export function useReadableFiles(transfer: TransferDetail, files: TransferFile[]): Readable {
  const { encryption } = transfer;
  const { manifest } = useOwnManifest(transfer);
  return useMemo(() => {
    if (!encryption) return { files, message: transfer.message, isReadable: true };
    const known = new Map(manifest?.files.map((file) => [file.fileId, file]));
    return {
      files: files.map((file, index) => nameFile(file, known.get(file.originalName), index)),
      message: manifest?.message ?? null,
      isReadable: manifest !== undefined,
    };
  }, [encryption, transfer.message, files, manifest]);
}

/** The manifest of the user's own encrypted transfer, if this browser has its key. */
export function useOwnManifest({
  id,
  encryption,
  fileCount,
}: Pick<Transfer, 'id' | 'encryption' | 'fileCount'>) {
  const kept = useKeys(encryption !== null)?.get(id);
  const { data: manifest } = useQuery({
    queryKey: ['manifest', id, fileCount, kept?.savedAt],
    queryFn: async ({ signal }) => (await import('./open-manifest.ts')).openOwnManifest(kept!, signal),
    enabled: kept !== undefined,
    retry: false,
  });
  return { kept, manifest };
}

function nameFile(file: TransferFile, known: ManifestFile | undefined, index: number): TransferFile {
  if (!known) {
    const name = t`Encrypted file ${index + 1}`;
    return { ...file, originalName: name, relativePath: name };
  }
  const { path, mimeType, size } = known;
  return { ...file, originalName: path.slice(path.lastIndexOf('/') + 1), relativePath: path, mimeType, size };
}
