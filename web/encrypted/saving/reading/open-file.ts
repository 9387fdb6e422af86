import { encryptedSize, SEGMENT_BYTES, segmentCount } from '../../../../contracts/transfers/encryption.ts';
import type { Bytes } from '../../../../encryption/bytes.ts';
import { DamagedSegmentError } from '../../../../encryption/errors.ts';
import type { SegmentKey } from '../../../../encryption/keys.ts';
import { openSegmentsInParts } from '../../../../encryption/segments.ts';
import { SaveError } from '../failures.ts';
import type { PlannedFile } from '../save-plan.ts';
import type { SliceReader } from './slice-reader.ts';

/** Opened at once: enough to keep the processor busy while bytes arrive and are written. */
const SEGMENTS_PER_STEP = 2;
const STEPS_AHEAD = 3;

type Reader = Pick<SliceReader, 'read' | 'release'>;

type Step = { pieces: Promise<Bytes[]>; sealedEnd: number };

/**
 * The plaintext of a file from a segment on, in order, each piece in a buffer of its own. Throws SaveError at the first
 * damaged segment.
 */
export async function* openFile(
  key: SegmentKey,
  reader: Reader,
  file: PlannedFile,
  firstSegment = 0,
): AsyncGenerator<Bytes> {
  const count = segmentCount(file.size);
  const sealedBytes = encryptedSize(file.size);
  const opening: Step[] = [];
  let segment = firstSegment;
  while (segment < count || opening.length > 0) {
    while (segment < count && opening.length < STEPS_AHEAD) {
      const start = segment * SEGMENT_BYTES;
      const length = Math.min(SEGMENTS_PER_STEP * SEGMENT_BYTES, sealedBytes - start);
      const sealed = await reader.read(file.sealedStart + start, length);
      const pieces = openSegmentsInParts(
        key,
        { fileId: file.fileId, plainBytes: file.size, firstSegment: segment },
        sealed,
      );
      pieces.catch(() => undefined);
      opening.push({ pieces, sealedEnd: file.sealedStart + start + length });
      segment += SEGMENTS_PER_STEP;
    }
    const step = opening.shift()!;
    const pieces = await step.pieces.catch((error: unknown) => {
      throw error instanceof DamagedSegmentError
        ? new SaveError({ kind: 'damaged', file: file.path })
        : error;
    });
    reader.release(step.sealedEnd);
    yield* pieces;
  }
}
