import { encryptedSize, SEGMENT_BYTES, segmentCount } from '../../../../contracts/transfers/encryption.ts';
import type { Bytes } from '../../../../encryption/bytes.ts';
import { DamagedSegmentError } from '../../../../encryption/errors.ts';
import type { SegmentKey } from '../../../../encryption/keys.ts';
import { openSegments } from '../../../../encryption/segments.ts';
import { SaveError } from '../failures.ts';
import type { PlannedFile } from '../save-plan.ts';

/** Opened at once: enough to keep the processor busy while bytes arrive and are written. */
const SEGMENTS_PER_STEP = 4;
const STEPS_AHEAD = 3;

type Reader = { read(start: number, length: number): Promise<Bytes> };

/** The plaintext of a file from a segment on, in order. Throws SaveError at the first damaged segment. */
export async function* openFile(
  key: SegmentKey,
  reader: Reader,
  file: PlannedFile,
  firstSegment = 0,
): AsyncGenerator<Bytes> {
  const count = segmentCount(file.size);
  const sealedBytes = encryptedSize(file.size);
  const opening: Promise<Bytes>[] = [];
  let segment = firstSegment;
  while (segment < count || opening.length > 0) {
    while (segment < count && opening.length < STEPS_AHEAD) {
      const start = segment * SEGMENT_BYTES;
      const length = Math.min(SEGMENTS_PER_STEP * SEGMENT_BYTES, sealedBytes - start);
      const sealed = await reader.read(file.sealedStart + start, length);
      const opened = openSegments(
        key,
        { fileId: file.fileId, plainBytes: file.size, firstSegment: segment },
        sealed,
      );
      opened.catch(() => undefined);
      opening.push(opened);
      segment += SEGMENTS_PER_STEP;
    }
    yield await opening.shift()!.catch((error: unknown) => {
      throw error instanceof DamagedSegmentError
        ? new SaveError({ kind: 'damaged', file: file.path })
        : error;
    });
  }
}
