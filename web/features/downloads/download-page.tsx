import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import { choiceAction } from './choice-action.ts';
import { ChoiceBar } from './choice-bar.tsx';
import {
  BlockedTransfer,
  CheckingTransfer,
  ExpiredTransfer,
  MissingTransfer,
  TakenDownTransfer,
} from './closed-transfer.tsx';
import { DownloadBar } from './download-bar.tsx';
import { LoadingTransfer } from './loading-transfer.tsx';
import { LockedTransfer } from './locked-transfer.tsx';
import { mainAction } from './main-action.ts';
import { OpenTransfer } from './open-transfer.tsx';
import { useBackground } from './page-background.tsx';
import { PageFrame } from './page-frame.tsx';
import { ScheduledTransfer } from './scheduled-transfer.tsx';
import { type ShareAddress, useShareAddress } from './share-address.ts';
import { type LoadedView, useDownloadView } from './use-download-view.ts';
import { useDownloads } from './use-downloads.ts';
import { useFileChoice } from './use-file-choice.ts';
import { findViewState, isUsedUp } from './view-state.ts';

const NO_FILES: TransferFile[] = [];

export function DownloadPage() {
  const share = useShareAddress();
  const { token } = share;
  const loaded = useDownloadView(share);
  const { isGone, refresh } = loaded;
  // What was shown before it was closed is shown no longer.
  const view = loaded.closed ? undefined : loaded.view;
  const downloads = useDownloads(loaded.refresh);
  const state = view && findViewState(view);
  const isOver = state ? state.kind === 'expired' : loaded.error !== null;
  const background = useBackground(token, { isWanted: !isOver });
  const { loading } = loaded;
  const choice = useFileChoice(state?.kind === 'open' ? state.view.files : NO_FILES);
  if (state?.kind !== 'open') {
    return (
      <PageFrame background={background} isLoading={!view && !loaded.error} {...(view && { token })}>
        <ClosedState key={token} share={share} loaded={loaded} />
      </PageFrame>
    );
  }
  const action = isGone || isUsedUp(state.view) ? undefined : mainAction(share, state.view, downloads);
  const chosen = action && choiceAction(share, { view: state.view, choice, loading, downloads });
  const bar = chosen ? (
    <ChoiceBar action={chosen} onClear={choice.clear} />
  ) : (
    action && <DownloadBar {...action} />
  );
  return (
    <PageFrame {...{ token, background, bar }}>
      <OpenTransfer
        key={token}
        view={state.view}
        {...{ share, action, isGone, downloads, choice, loading, refresh }}
      />
    </PageFrame>
  );
}

/** Everything but an open transfer. */
function ClosedState({ share, loaded }: { share: ShareAddress; loaded: LoadedView }) {
  const { view, error, isGone, closed, refresh } = loaded;
  if (closed === 'taken-down') return <TakenDownTransfer />;
  if (closed === 'blocked') return <BlockedTransfer />;
  if (error && (isGone || !view)) return <MissingTransfer error={error} onRetry={refresh} />;
  if (!view) return <LoadingTransfer />;
  const state = findViewState(view);
  if (state.kind === 'expired') return <ExpiredTransfer />;
  if (state.kind === 'checking') return <CheckingTransfer onRefresh={refresh} />;
  if (state.kind === 'locked') return <LockedTransfer share={share} onRefresh={refresh} />;
  if (state.kind !== 'scheduled') return null;
  return <ScheduledTransfer view={view} availableAt={state.availableAt} onAvailable={refresh} />;
}
