import { t } from '@lingui/core/macro';
import { PAGES } from '../../../contracts/values/addresses/pages.ts';
import { ProgressRing } from '../../components/feedback/progress-ring.tsx';
import { Link, usePlace } from '../../lib/routing.tsx';
import { useBackgroundUpload } from '../../uploading/background-upload.ts';
import type { UploadState } from '../../uploading/upload-store.ts';
import { describeState, percentOf, sentShare } from '../../uploading/upload-words.ts';

/** The upload that runs while the user is on another page. Leads back to it. */
export function UploadPill() {
  const { pathname } = usePlace();
  const upload = useBackgroundUpload();
  const isShown = upload && (upload.isUnfinished || upload.phase === 'failed');
  if (!isShown || pathname === PAGES.upload) return null;
  const words = describePill(upload);
  return (
    <Link
      to={PAGES.upload}
      data-testid="upload-pill"
      className="tabular flex min-h-9 min-w-0 items-center gap-2.5 rounded-full border border-line-firm bg-raised py-1 pr-4 pl-1.5 text-sm font-medium transition-colors duration-(--quick) hover:bg-press"
    >
      <ProgressRing
        label={t`Upload progress`}
        value={upload.phase === 'preparing' ? null : sentShare(upload)}
        state={ringState(upload)}
        diameter={26}
      />
      <span className="truncate">{words}</span>
    </Link>
  );
}

function describePill(upload: UploadState): string {
  const percent = percentOf(upload);
  if (upload.phase === 'uploading' && !upload.trouble) return t`Uploading ${percent}%`;
  if (upload.phase === 'arrived') return t`Ready to send`;
  if (upload.phase === 'paused' && !upload.trouble) return t`Paused at ${percent}%`;
  return describeState(upload);
}

function ringState({ phase, trouble }: UploadState) {
  if (phase === 'failed' || trouble?.kind === 'sign-in') return 'failed';
  if (phase === 'arrived') return 'done';
  return phase === 'paused' || trouble ? 'stopped' : 'running';
}
