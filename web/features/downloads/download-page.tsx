import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { ApiError } from '../../../client/api-error.ts';
import {
  type DownloadView,
  listDownloadFiles,
  viewDownload,
} from '../../../contracts/transfers/downloads/downloads.ts';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import { call, callPage } from '../../api/call.ts';
import { FIRST_FILES } from '../../api/first-files.ts';
import { type FilesLoading, useAllFiles } from '../../api/use-all-files.ts';
import { Dialog } from '../../components/dialogs/dialog.tsx';
import { Skeleton, SkeletonGroup } from '../../components/feedback/skeleton.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { GuestFrame } from '../../components/layout/guest-frame.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { useLoaded } from '../../lib/hooks/use-loaded.ts';
import { lateModule } from '../../lib/loading/late-module.ts';
import { lazy } from '../../lib/loading/lazy.ts';
import { referrerOf } from '../../lib/values/referrer.ts';
import { ArrivingBytes, useArrival } from './arrival/use-arrival.ts';
import { DownloadBar } from './download/download-bar.tsx';
import { mainAction, mainTarget, waitAction } from './download/main-action.ts';
import { useDownloads } from './download/use-downloads.ts';
import { useFileChoice } from './files/choosing/use-file-choice.ts';
import { recipientQuery, type ShareAddress, useShareAddress } from './share-address.ts';
import { ExpiredTransfer, MissingTransfer } from './states/closed-transfer.tsx';
import { LockedTransfer } from './states/locked-transfer.tsx';
import { OpenTransfer } from './states/open-transfer.tsx';
import { findViewState, isUsedUp } from './states/view-state.ts';
import { type Background, useBackground } from './use-background.ts';

const PageBackground = lazy(() =>
  import('./page-background.tsx').then((module) => ({ default: module.PageBackground })),
);
const useChoiceBar = lateModule(() => import('./files/choosing/choice-bar.tsx'), { isLikely: true });
// Rare states.
const withheld = () => import('./states/withheld-transfer.tsx');
const TakenDownTransfer = lazy(async () => ({ default: (await withheld()).TakenDownTransfer }));
const BlockedTransfer = lazy(async () => ({ default: (await withheld()).BlockedTransfer }));
const CheckingTransfer = lazy(async () => ({ default: (await withheld()).CheckingTransfer }));
const ScheduledTransfer = lazy(async () => ({
  default: (await import('./states/scheduled-transfer.tsx')).ScheduledTransfer,
}));

const StoppedTransfer = lazy(async () => ({
  default: (await import('./states/stopped-transfer.tsx')).StoppedTransfer,
}));

const NO_FILES: TransferFile[] = [];

export function DownloadPage() {
  const share = useShareAddress();
  const { token } = share;
  const loaded = useDownloadView(share);
  const { isGone, refresh } = loaded;
  // Hide what was visible before the transfer was closed.
  const view = loaded.closed ? undefined : loaded.view;
  const downloads = useDownloads(loaded.refresh);
  const state = view && findViewState(view);
  const arrival = useArrival({
    token,
    view,
    refresh,
    onArrived: ({ files = [] }) => {
      const target = mainTarget(share, { files });
      if (target) void downloads.start(target);
    },
  });
  const isOver = state ? state.kind === 'expired' : loaded.error !== null;
  const background = useBackground(token, { isWanted: !isOver });
  const { loading } = loaded;
  const choice = useFileChoice(state?.kind === 'open' ? state.view.files : NO_FILES);
  const hasChoice = choice.files.length > 0;
  const choiceBar = useChoiceBar(hasChoice);
  if (state?.kind !== 'open') {
    return (
      <PageFrame background={background} isLoading={!view && !loaded.error} {...(view && { token })}>
        <Suspense fallback={<LoadingTransfer />}>
          <ClosedState key={token} share={share} loaded={loaded} />
        </Suspense>
      </PageFrame>
    );
  }
  const action =
    isGone || isUsedUp(state.view)
      ? undefined
      : (mainAction(share, state.view, downloads) ?? (arrival && waitAction(state.view, arrival)));
  const bar =
    action && choiceBar && hasChoice ? (
      <choiceBar.ChoiceBar {...{ share, choice, loading, downloads }} view={state.view} />
    ) : (
      action && <DownloadBar {...action} />
    );
  return (
    <PageFrame {...{ token, background, bar }}>
      <ArrivingBytes value={arrival?.files}>
        <OpenTransfer
          key={token}
          view={state.view}
          {...{ share, action, arrival, isGone, downloads, choice, loading, refresh }}
        />
      </ArrivingBytes>
    </PageFrame>
  );
}

/** Every state except an open transfer. */
function ClosedState({ share, loaded }: { share: ShareAddress; loaded: LoadedView }) {
  const { view, error, isGone, closed, refresh } = loaded;
  if (closed === 'taken-down') return <TakenDownTransfer />;
  if (closed === 'blocked') return <BlockedTransfer />;
  if (error && (isGone || !view)) return <MissingTransfer error={error} onRetry={refresh} />;
  if (!view) return <LoadingTransfer />;
  const state = findViewState(view);
  if (state.kind === 'expired')
    return <ExpiredTransfer token={share.token} canBeReopened={!view.isDeleting} />;
  if (state.kind === 'checking') return <CheckingTransfer onRefresh={refresh} />;
  if (state.kind === 'locked') return <LockedTransfer share={share} onRefresh={refresh} />;
  if (state.kind === 'stopped') return <StoppedTransfer onRefresh={refresh} />;
  if (state.kind !== 'scheduled') return null;
  return <ScheduledTransfer view={view} availableAt={state.availableAt} onAvailable={refresh} />;
}

type PageFrameProps = {
  /** Set if the transfer exists and can be reported. */
  token?: string;
  background: Background | undefined;
  /** Sticks to the bottom of small screens. */
  bar?: ReactNode;
  isLoading?: boolean;
  children: ReactNode;
};

/** Stays mounted while the page changes its state. */
export function PageFrame({ token, background, ...frame }: PageFrameProps) {
  return (
    <GuestFrame
      credit={t`Sent with Sendwell`}
      footer={token && <ReportAbuse token={token} />}
      picture={
        background && (
          <Suspense fallback={null}>
            <PageBackground {...background} />
          </Suspense>
        )
      }
      {...frame}
    />
  );
}

/** Skeletons of the final sizes. */
export function LoadingTransfer() {
  return (
    <Stage
      isWellForLarge
      isDense
      head={
        <SkeletonGroup label={t`Loading transfer`}>
          <Skeleton className="h-[0.96em] w-full max-w-[8em] text-display" />
          <Skeleton className="mt-3 h-7 w-64 sm:mt-5" />
        </SkeletonGroup>
      }
      well={
        <StillWell className="animate-breathe">
          <span />
        </StillWell>
      }
      body={
        <div className="flex flex-col gap-3">
          <Skeleton className="mb-3 h-24 sm:mb-5 sm:h-28" />
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
          <Skeleton className="h-14" />
        </div>
      }
    />
  );
}

/** The maximum delay of browser timers. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const CLOSED: Record<string, LoadedView['closed']> = {
  transfer_taken_down: 'taken-down',
  transfer_blocked: 'blocked',
};

export type LoadedView = {
  /** With the files loaded so far. */
  view: DownloadView | undefined;
  loading: FilesLoading;
  error: Error | null;
  /** The transfer was deleted after the page had opened. */
  isGone: boolean;
  /** Closed by an administrator or the virus scanner. */
  closed: 'taken-down' | 'blocked' | undefined;
  /** Fetches the transfer again; undefined on failure. */
  refresh: () => Promise<DownloadView | undefined>;
};

/** A transfer as recipients see it. Refetches it when it expires. */
export function useDownloadView(share: ShareAddress): LoadedView {
  const { token } = share;
  const { data, error, reload } = useLoaded(`${token} ${share.recipientToken}`, (signal) =>
    call(viewDownload, {
      params: { token },
      query: { ...recipientQuery(share), from: referrerOf(document.referrer), firstFiles: FIRST_FILES },
      signal,
    }),
  );
  const fetchPage = useCallback(
    (cursor: string, signal: AbortSignal) =>
      callPage(listDownloadFiles, { params: { token }, query: { cursor }, signal }),
    [token],
  );
  const { files, loading } = useAllFiles(data, fetchPage);
  const view = useMemo(() => data && { ...data, ...(data.files && { files }) }, [data, files]);
  useRefreshAt(data?.expiresAt, reload);
  const refusal = error instanceof ApiError ? error : undefined;
  return {
    view,
    loading,
    error,
    isGone: refusal?.status === 404,
    closed: refusal && CLOSED[refusal.code ?? ''],
    refresh: reload,
  };
}

function useRefreshAt(instant: string | null | undefined, refresh: () => void): void {
  useEffect(() => {
    if (!instant) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = () => {
      const leftMs = Date.parse(instant) - Date.now();
      timer = setTimeout(leftMs > LONGEST_TIMER_MS ? wait : refresh, Math.min(leftMs, LONGEST_TIMER_MS));
    };
    // If the instant has passed here but not on the server, this clock is ahead, and asking again would not help.
    if (Date.parse(instant) > Date.now()) wait();
    return () => clearTimeout(timer);
  }, [instant, refresh]);
}

/** Loaded on opening, because its library is large. */
const useReportForm = lateModule(() => import('./report-form.tsx'));

function ReportAbuse({ token }: { token: string }) {
  const [isOpen, setOpen] = useState(false);
  const form = useReportForm(isOpen);
  return (
    <>
      <button type="button" className="link py-0.5" onClick={() => setOpen(true)}>
        <Trans>Report abuse</Trans>
      </button>
      <Dialog
        isOpen={isOpen && form !== undefined}
        onOpenChange={setOpen}
        title={t`Report this transfer`}
        description={t`Tell us what is wrong with it. The sender does not learn who reported it.`}
      >
        {form && <form.ReportForm token={token} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  );
}
