import { plural, t } from '@lingui/core/macro';
import { isSwitchedOn } from '../lib/browser/device-switch.ts';
import { notify } from '../lib/browser/notifications.ts';
import type { EngineState } from './engine/engine-state.ts';

/** For people who are looking at something else and have switched it on for this browser. */
export function notifyUploadEnd({ phase, fileCount }: Pick<EngineState, 'phase' | 'fileCount'>): void {
  if (!document.hidden || !isSwitchedOn('notify-upload-end')) return;
  const files = plural(fileCount, { one: '# file', other: '# files' });
  const words =
    phase === 'success'
      ? { title: t`Upload successful!`, body: t`${files} sent.` }
      : { title: t`Upload failed`, body: t`${files} not sent. Open the page to try again.` };
  void notify({ ...words, tag: 'upload-end', path: window.location.pathname }).catch(() => {});
}
