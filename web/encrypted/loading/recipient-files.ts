import { encryptedSize } from '../../../contracts/transfers/encryption.ts';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import type { Manifest } from '../../../encryption/manifest.ts';

/** A file as recipients see it: the server's facts with the sender's. */
export type RecipientFile = {
  /** On the server. */
  id: string;
  position: number;
  fileId: string;
  /** As the sender named it, '/'-separated. */
  path: string;
  size: number;
  /** Epoch milliseconds. */
  modifiedAt: number;
  /** Otherwise `modifiedAt` is when it was uploaded. */
  isTimeKnown: boolean;
  isExecutable: boolean;
  mimeType: string;
  crc32: number | null;
  isDamaged: boolean;
  isChecking: boolean;
  /** How many bytes of its ciphertext have arrived; undefined if all have. */
  arrivedBytes: number | undefined;
  downloadCount: number;
};

export type RecipientFiles = {
  files: RecipientFile[];
  /** In the manifest, but not on the server. */
  missingCount: number;
};

/**
 * Joins the server's list with the manifest. Files that the manifest doesn't name are left out: only the sender can
 * write one.
 */
export function joinFiles(stored: readonly TransferFile[], manifest: Manifest): RecipientFiles {
  const named = new Map(manifest.files.map((file) => [file.fileId, file]));
  const files = stored.flatMap((file): RecipientFile[] => {
    const facts = named.get(file.originalName);
    if (!facts) return [];
    return [
      {
        id: file.id,
        position: file.position,
        fileId: facts.fileId,
        path: facts.path,
        size: facts.size,
        modifiedAt: facts.modifiedAt ?? Date.parse(file.uploadedAt),
        isTimeKnown: facts.modifiedAt !== null,
        isExecutable: facts.isExecutable ?? false,
        mimeType: facts.mimeType,
        crc32: facts.crc32,
        isDamaged: file.isDamaged || file.size !== encryptedSize(facts.size),
        isChecking: file.isChecking,
        arrivedBytes: file.state === 'arriving' ? (file.receivedBytes ?? 0) : undefined,
        downloadCount: file.downloadCount,
      },
    ];
  });
  return { files, missingCount: manifest.files.length - files.length };
}

export function nameOf({ path }: Pick<RecipientFile, 'path'>): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Its CRC-32, which a zip needs; a sender knows it once all of the file is sent. */
export function hasSum({ crc32 }: RecipientFile): boolean {
  return crc32 !== null;
}

export function canBeSaved({ isDamaged, isChecking }: RecipientFile): boolean {
  return !isDamaged && !isChecking;
}
