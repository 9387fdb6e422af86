import { createUploadFile, type UploadFile } from '../../client/upload-plan.ts';
import type { SourceFile } from './collect-files.ts';

/** A file on its way. */
export type OutgoingFile = UploadFile & { source: SourceFile; uploadId: string };

export function toOutgoing(source: SourceFile, uploadId: string, received?: Iterable<number>): OutgoingFile {
  return { ...createUploadFile(source.size, received), source, uploadId };
}
