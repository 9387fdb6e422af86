import { chunkLength, planChunks } from '../../contracts/limits.ts';
import type { UploadRequest } from '../../contracts/uploads.ts';
import type { SourceFile } from './collect-files.ts';
import { mimeTypeOf } from './mime-type.ts';

/** A file on its way. */
export type OutgoingFile = {
  source: SourceFile;
  uploadId: string;
  chunkSize: number;
  totalChunks: number;
  /** Chunks on the server. */
  received: Set<number>;
};

export function toOutgoing(
  source: SourceFile,
  uploadId: string,
  received: Iterable<number> = [],
): OutgoingFile {
  return { source, uploadId, ...planChunks(source.size), received: new Set(received) };
}

/** How the file is announced. */
export function toRequest({ relativePath, size }: SourceFile): UploadRequest {
  const fileName = relativePath.slice(relativePath.lastIndexOf('/') + 1);
  const { totalChunks } = planChunks(size);
  return { fileName, relativePath, fileSize: size, totalChunks, mimeType: mimeTypeOf(fileName) };
}

export function isWhole({ received, totalChunks }: OutgoingFile): boolean {
  return received.size >= totalChunks;
}

/** Bytes on the server. */
export function receivedBytes({ source, received, chunkSize, totalChunks }: OutgoingFile): number {
  const last = totalChunks - 1;
  const missing = received.has(last) ? chunkSize - chunkLength(source.size, chunkSize, last) : 0;
  return received.size * chunkSize - missing;
}
