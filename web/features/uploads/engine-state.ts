import type { CompletedUpload } from '../../../contracts/uploads.ts';
import type { ApiError } from '../../api/api-error.ts';
import type { Trouble } from './chunk-sender.ts';
import type { UploadItem } from './upload-item.ts';

/** Specification section 4 ("Upload"), with the pause in between. */
export type EnginePhase = 'idle' | 'preparing' | 'uploading' | 'paused' | 'completing' | 'success' | 'failed';

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
