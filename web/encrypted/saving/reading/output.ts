import { SEGMENT_PLAIN_BYTES } from '../../../../contracts/transfers/encryption.ts';
import type { Bytes } from '../../../../encryption/bytes.ts';
import type { SegmentKey } from '../../../../encryption/keys.ts';
import type { PlannedFile } from '../save-plan.ts';
import { openFile } from './open-file.ts';
import type { SliceReader } from './slice-reader.ts';

/** One stream of bytes to save: a file, or the zip of several. Its length is known before it begins. */
export type Output = {
  sizeBytes: number;
  files: readonly PlannedFile[];
  /** Where the plaintext of each file begins. */
  dataStarts: readonly number[];
  /** What precedes a file. */
  headOf(index: number): Bytes;
  /** What follows the last file. */
  tail(): Bytes;
};

const NOTHING: Bytes = new Uint8Array();

export function fileOutput(file: PlannedFile): Output {
  return {
    sizeBytes: file.size,
    files: [file],
    dataStarts: [0],
    headOf: () => NOTHING,
    tail: () => NOTHING,
  };
}

/** A position at which an interrupted output can go on: the beginning of a head, of a segment or of the tail. */
export type ResumePoint = {
  /** The number of files for the tail. */
  file: number;
  /** Undefined: with the head. */
  segment: number | undefined;
  offset: number;
};

export const BEGINNING: ResumePoint = { file: 0, segment: undefined, offset: 0 };

/** The last point that is not after `savedBytes`. */
export function findResumePoint(output: Output, savedBytes: number): ResumePoint {
  const { files, dataStarts } = output;
  for (const [index, { size }] of files.entries()) {
    const dataStart = dataStarts[index]!;
    const headStart = dataStart - output.headOf(index).length;
    if (savedBytes < dataStart) return { file: index, segment: undefined, offset: headStart };
    if (savedBytes < dataStart + size) {
      const segment = Math.floor((savedBytes - dataStart) / SEGMENT_PLAIN_BYTES);
      return { file: index, segment, offset: dataStart + segment * SEGMENT_PLAIN_BYTES };
    }
  }
  const last = files.length - 1;
  const end = last < 0 ? 0 : dataStarts[last]! + files[last]!.size;
  return { file: files.length, segment: undefined, offset: end };
}

type Source = { key: SegmentKey; reader: Pick<SliceReader, 'read' | 'release'> };

/**
 * The bytes of the output from a point on, each after its segment has proved to be what the sender sealed, in pieces
 * with buffers of their own.
 */
export async function* produce(
  output: Output,
  { key, reader }: Source,
  from: ResumePoint = BEGINNING,
): AsyncGenerator<Bytes> {
  for (let index = from.file; index < output.files.length; index += 1) {
    const segment = index === from.file ? from.segment : undefined;
    if (segment === undefined) yield output.headOf(index);
    yield* openFile(key, reader, output.files[index]!, segment);
  }
  yield output.tail();
}
