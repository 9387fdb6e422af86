import type { ApiError } from '../../client/api-error.ts';
import type { SpeedMeter } from '../../client/speed-meter.ts';
import type { CompletedUpload } from '../../contracts/transfers/uploads.ts';
import { sentBytes, type UploadItem } from './upload-item.ts';

/** Specification section 4 ("Upload"), with the pause in between. */
export type EnginePhase = 'idle' | 'preparing' | 'uploading' | 'paused' | 'completing' | 'success' | 'failed';

/** Why nothing moves at the moment. */
export type Trouble = { kind: 'network' | 'sign-in'; message: string };

/** What a page shows; a new object with every change. The items are the engine's own, their list is new when it changed. */
export type EngineState = {
  phase: EnginePhase;
  items: readonly UploadItem[];
  trouble: Trouble | undefined;
  /** The sentence of a failure, and the server's refusal behind it, if it was one. */
  error: string | undefined;
  refusal: ApiError | undefined;
  totalBytes: number;
  sentBytes: number;
  bytesPerSecond: number | undefined;
  secondsLeft: number | undefined;
  transferId: string | undefined;
  /** Files of the whole transfer, with those that an earlier visit completed. */
  fileCount: number;
  completedFiles: number;
  result: CompletedUpload | undefined;
};

/** What is known of a transfer before it is announced. */
export const NOTHING_YET = {
  phase: 'idle' as EnginePhase,
  transferId: undefined,
  result: undefined,
  error: undefined,
  refusal: undefined,
  trouble: undefined,
};

type Counts = Pick<
  EngineState,
  'items' | 'fileCount' | 'completedFiles' | 'totalBytes' | 'sentBytes' | 'bytesPerSecond' | 'secondsLeft'
>;

/** Adds up how far the files are; `completedBefore` are files of this transfer that are not on the list any more. */
export function countProgress(
  items: readonly UploadItem[],
  completedBefore: number,
  meter: SpeedMeter,
): Counts {
  const totalBytes = items.reduce((sum, { size }) => sum + size, 0);
  const sent = sumSentBytes(items);
  return {
    items,
    fileCount: items.length + completedBefore,
    completedFiles: completedBefore + items.filter(({ phase }) => phase === 'done').length,
    totalBytes,
    sentBytes: sent,
    bytesPerSecond: meter.bytesPerSecond,
    secondsLeft: meter.secondsFor(totalBytes - sent),
  };
}

/** Bytes on the server or under way. */
export function sumSentBytes(items: readonly UploadItem[]): number {
  return items.reduce((sum, item) => sum + sentBytes(item), 0);
}
