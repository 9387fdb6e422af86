import { ExpiredTransfer, MissingTransfer } from './closed-transfer.tsx';
import { DownloadBar } from './download-bar.tsx';
import { LoadingTransfer } from './loading-transfer.tsx';
import { LockedTransfer } from './locked-transfer.tsx';
import { mainAction } from './main-action.ts';
import { OpenTransfer } from './open-transfer.tsx';
import { PageFrame } from './page-frame.tsx';
import { ScheduledTransfer } from './scheduled-transfer.tsx';
import { useShareAddress } from './share-address.ts';
import { type LoadedView, useDownloadView } from './use-download-view.ts';
import { useDownloads } from './use-downloads.ts';
import { findViewState, isUsedUp } from './view-state.ts';

/** The page that recipients of a link see (specification section 2, "Public download page"). */
export function DownloadPage() {
  const share = useShareAddress();
  const { token } = share;
  const loaded = useDownloadView(share);
  const { view, isGone } = loaded;
  const downloads = useDownloads(loaded.refresh);
  const state = view && findViewState(view);
  if (state?.kind !== 'open') {
    return (
      <PageFrame isLoading={!view && !loaded.error}>
        <ClosedState key={token} token={token} loaded={loaded} />
      </PageFrame>
    );
  }
  const action = isGone || isUsedUp(state.view) ? undefined : mainAction(share, state.view, downloads);
  return (
    <PageFrame bar={action && <DownloadBar {...action} />}>
      <OpenTransfer view={state.view} {...{ share, action, isGone, downloads }} />
    </PageFrame>
  );
}

/** Everything but an open transfer. */
function ClosedState({ token, loaded }: { token: string; loaded: LoadedView }) {
  const { view, error, isGone, refresh } = loaded;
  if (error && (isGone || !view)) return <MissingTransfer error={error} onRetry={refresh} />;
  if (!view) return <LoadingTransfer />;
  const state = findViewState(view);
  if (state.kind === 'expired') return <ExpiredTransfer />;
  if (state.kind === 'locked') return <LockedTransfer token={token} onRefresh={refresh} />;
  if (state.kind !== 'scheduled') return null;
  return <ScheduledTransfer view={view} availableAt={state.availableAt} onAvailable={refresh} />;
}
