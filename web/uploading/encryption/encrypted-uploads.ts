import { plainSize } from '../../../contracts/transfers/encryption.ts';
import type { UnfinishedUpload } from '../../../contracts/transfers/uploads/uploads.ts';
import type { LocalUpload } from '../engine/upload-item.ts';
import { type DraftFile, listDraftFiles } from './draft-files.ts';
import { planSealedChunks } from './sealed-plan.ts';

/** Adds what only this device knows of encrypted uploads: names, sizes and checksums. */
export async function readEncryptedUploads(uploads: UnfinishedUpload[]): Promise<LocalUpload[]> {
  const encrypted = new Set(uploads.flatMap(({ encryption, transferId }) => (encryption ? transferId : [])));
  const files = await Promise.all([...encrypted].map(listDraftFiles));
  const known = new Map(files.flat().map((file) => [file.fileId, file]));
  return uploads.map((upload) =>
    upload.encryption ? readUpload(upload, known.get(upload.fileName)) : upload,
  );
}

function readUpload(upload: UnfinishedUpload, file: DraftFile | undefined): LocalUpload {
  const { fileName: fileId } = upload;
  const size = file?.size ?? plainSize(upload.fileSize) ?? 0;
  const sized = { ...upload, ...planSealedChunks(size), fileId, fileSize: size };
  if (!file) return { ...sized, isUnknown: true };
  const { path, mimeType, crcs, isNameless = false } = file;
  return {
    ...sized,
    fileName: path.slice(path.lastIndexOf('/') + 1),
    relativePath: path,
    mimeType,
    isNameless,
    // A chunk without its checksum is sent again.
    receivedChunks: upload.receivedChunks.filter((index) => crcs[index] !== undefined),
  };
}
