import { t } from '@lingui/core/macro';
import { isWhole } from '../../client/upload-plan.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { EngineState } from './engine/engine-state.ts';
import { sentBytes, type UploadItem } from './engine/upload-item.ts';

type Progress = Pick<EngineState, 'phase' | 'trouble' | 'totalBytes' | 'sentBytes'>;

/** 0 to 1. A transfer of empty files has no progress until it completes. */
export function sentShare({ phase, totalBytes, sentBytes }: Omit<Progress, 'trouble'>): number {
  if (totalBytes === 0) return phase === 'success' || phase === 'completing' ? 1 : 0;
  return sentBytes / totalBytes;
}

/** Whole per cent, rounded down: 100 only when every byte has arrived. */
export function percentOf(state: Omit<Progress, 'trouble'>): number {
  return Math.floor(sentShare(state) * 100);
}

/** `unknownSender` is shown when the server no longer recognizes the sender. */
export function describeState(
  { phase, trouble }: Pick<Progress, 'phase' | 'trouble'>,
  unknownSender = t`Please sign in again`,
): string {
  if (trouble?.kind === 'sign-in') return unknownSender;
  if (trouble) return trouble.message;
  if (phase === 'preparing') return t`Preparing…`;
  if (phase === 'paused') return t`Paused`;
  if (phase === 'arrived') return t`All files are uploaded`;
  if (phase === 'completing') return t`Finishing…`;
  if (phase === 'failed') return t`Upload failed`;
  return phase === 'success' ? t`Upload successful!` : t`Uploading`;
}

/** Label of the button that resumes an upload. */
export function resumeLabel({ items }: Pick<EngineState, 'items'>): string {
  return items.every(isWhole) ? t`Finish upload` : t`Continue upload`;
}

export function describeItem(item: UploadItem): string {
  if (item.phase === 'failed') return item.error ?? t`Failed`;
  if (item.phase === 'sent' || item.phase === 'done') return t`Sent`;
  const sent = sentBytes(item);
  if (item.phase === 'uploading' || sent > 0) return t`${formatSize(sent)} of ${formatSize(item.size)}`;
  return formatSize(item.size);
}

/** '45 s', '3 min', '1 h 20 min', '3 days'. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return t`${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return t`${Math.ceil(hours / 24)} days`;
  return minutes % 60 === 0 ? `${hours} h` : t`${hours} h ${minutes % 60} min`;
}
