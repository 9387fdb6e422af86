import type { TransferFile } from '../../contracts/transfers/transfers.ts';

/** A file whose id is its name. */
export function fileNamed(path: string, facts: Partial<TransferFile> = {}): TransferFile {
  const originalName = path.slice(path.lastIndexOf('/') + 1);
  return {
    id: originalName,
    originalName,
    relativePath: path,
    mimeType: 'application/octet-stream',
    size: 1,
    uploadedAt: '2026-01-01T00:00:00.000Z',
    modifiedAt: null,
    isExecutable: false,
    downloadCount: 0,
    position: 0,
    sha256: null,
    isDamaged: false,
    isChecking: false,
    preview: null,
    thumbnail: false,
    ...facts,
  };
}
