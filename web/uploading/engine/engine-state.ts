import type { ApiError } from '../../../client/api-error.ts';
import type { SpeedMeter } from '../../../client/speed-meter.ts';
import type { CompletedUpload } from '../../../contracts/transfers/uploads/uploads.ts';
import { sentBytes, transferredBytes, type UploadItem } from './upload-item.ts';

/** `arrived`: all bytes are on the server, but the transfer was not submitted yet. */
export type EnginePhase =
  | 'idle'
  | 'preparing'
  | 'uploading'
  | 'paused'
  | 'arrived'
  | 'completing'
  | 'success'
  | 'failed';

/** Why the upload is waiting. */
export type Trouble = { kind: 'network' | 'sign-in'; message: string };

export type EncryptedLink = {
  /** With the key. */
  url: string;
  /** The fragment without `#`. */
  key: string;
  needsPassword: boolean;
};

/** A new object with every change. The list of items is new when it changes; the items themselves are mutated. */
export type EngineState = {
  phase: EnginePhase;
  /** The user asked to complete the transfer. Before, its bytes may be sent ahead. */
  isSubmitted: boolean;
  items: readonly UploadItem[];
  trouble: Trouble | undefined;
  /** The failure's sentence, and the server's refusal that caused it, if any. */
  error: string | undefined;
  refusal: ApiError | undefined;
  totalBytes: number;
  sentBytes: number;
  bytesPerSecond: number | undefined;
  secondsLeft: number | undefined;
  transferId: string | undefined;
  isEncrypted: boolean;
  /** Of an encrypted transfer, known as soon as it is announced. */
  link: EncryptedLink | undefined;
  /** The token of the share link, which works already while files arrive. */
  sharedToken: string | undefined;
  /** All files of the transfer, including those an earlier visit completed. */
  fileCount: number;
  completedFiles: number;
  result: CompletedUpload | undefined;
};

/** The state before a transfer is announced. */
export const NO_TRANSFER = {
  phase: 'idle' as EnginePhase,
  isSubmitted: false,
  transferId: undefined,
  isEncrypted: false,
  link: undefined,
  sharedToken: undefined,
  result: undefined,
  error: undefined,
  refusal: undefined,
  trouble: undefined,
};

type Counts = Pick<
  EngineState,
  'items' | 'fileCount' | 'completedFiles' | 'totalBytes' | 'sentBytes' | 'bytesPerSecond' | 'secondsLeft'
>;

/** Sums up the progress. `completedBefore` counts files of this transfer that are no longer listed. */
export function countProgress(
  items: readonly UploadItem[],
  completedBefore: number,
  meter: SpeedMeter,
): Counts {
  const totalBytes = items.reduce((sum, { size }) => sum + size, 0);
  let sent = 0;
  for (const item of items) {
    item.peakBytes = sentBytes(item);
    sent += item.peakBytes;
  }
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

/** Bytes on the server or in flight. */
export function sumTransferredBytes(items: readonly UploadItem[]): number {
  return items.reduce((sum, item) => sum + transferredBytes(item), 0);
}
