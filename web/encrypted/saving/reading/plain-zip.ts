import { directoryBytes, layOutFiles, localHeaderBytes } from '../../../../contracts/zip/file-zip.ts';
import { dataStart } from '../../../../contracts/zip/layout.ts';
import type { PlannedFile } from '../save-plan.ts';
import type { Output } from './output.ts';

/** The zip of the decrypted files, as the server would write it. Every file needs its CRC-32. */
export function zipOutput(files: readonly PlannedFile[]): Output {
  const layout = layOutFiles(
    files.map(({ path, size, crc32, modifiedAt, isTimeKnown, isExecutable }) => {
      if (crc32 === null) throw new Error(`The sender's list has no CRC-32 of ${path}`);
      return { path, sizeBytes: size, crc32, modifiedAt, isTimeKnown, isExecutable };
    }),
  );
  return {
    sizeBytes: layout.sizeBytes,
    files,
    dataStarts: files.map((_file, index) => dataStart(layout, index)),
    headOf: (index) => localHeaderBytes(layout, index),
    tail: () => directoryBytes(layout),
  };
}
