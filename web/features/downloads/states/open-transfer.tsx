import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { CircleSlash } from 'lucide-react';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { FilesLoading } from '../../../api/use-all-files.ts';
import { StillWell } from '../../../components/feedback/well.tsx';
import { Headline } from '../../../components/layout/headline.tsx';
import { Stage } from '../../../components/layout/stage.tsx';
import { usePageTitle } from '../../../lib/browser/page-title.ts';
import { lateModule } from '../../../lib/loading/late-module.ts';
import type { Arrival } from '../arrival/use-arrival.ts';
import { DownloadWell } from '../download/download-bar.tsx';
import { type MainAction, mainTarget } from '../download/main-action.ts';
import { MoreWays } from '../download/more-ways.tsx';
import type { Downloads } from '../download/use-downloads.ts';
import type { FileChoice } from '../files/choosing/use-file-choice.ts';
import { FileList } from '../files/file-list.tsx';
import { ShareFile } from '../files/share-file.tsx';
import { SingleFile } from '../files/single-file.tsx';
import { useFileDialogs } from '../files/use-file-dialogs.tsx';
import type { ShareAddress } from '../share-address.ts';
import { AskToReopen } from './ask-to-reopen.tsx';
import { TransferInformation } from './transfer-information.tsx';
import { useRefreshWhile } from './use-refresh-while.ts';
import { describeContent, type OpenView } from './view-state.ts';

type OpenTransferProps = {
  share: ShareAddress;
  view: OpenView;
  choice: FileChoice;
  loading: FilesLoading;
  refresh: () => Promise<DownloadView | undefined>;
  /** undefined: downloading is no longer possible. */
  action: MainAction | undefined;
  /** While files are still arriving. */
  arrival: Arrival | undefined;
  /** Deleted after the page had opened. */
  isGone: boolean;
  downloads: Downloads;
};

const usePanel = lateModule(() => import('../arrival/arrival-panel.tsx'));

export function OpenTransfer({ share, view, action, arrival, isGone, ...rest }: OpenTransferProps) {
  const panel = usePanel(arrival !== undefined);
  usePageTitle(nameTransfer(view));
  const { files } = view;
  const isDisabled = action === undefined;
  const { choice, downloads, loading, refresh } = rest;
  useRefreshWhile(
    files.some(({ isChecking }) => isChecking),
    refresh,
  );
  const single = files.length === 1 ? files[0] : undefined;
  const { actions, dialogs } = useFileDialogs({ share, downloads, isDisabled, files, refresh });
  return (
    <Stage
      isWellForLarge
      isDense
      head={
        <Headline title={nameTransfer(view)}>
          <p className="tabular mt-3 text-lg [word-spacing:0.12em] text-ink-soft sm:mt-5 sm:text-xl">
            <SenderLine view={view} />
          </p>
          {isDisabled && <ClosedNotice isGone={isGone} />}
          {isDisabled && !isGone && !view.isDeleting && <AskToReopen token={share.token} />}
        </Headline>
      }
      well={
        action ? (
          <DownloadWell {...action} />
        ) : (
          <StillWell>
            <CircleSlash aria-hidden="true" strokeWidth={1.25} />
          </StillWell>
        )
      }
      body={
        <div className="flex flex-col gap-6 sm:gap-8">
          {arrival && panel && (
            <panel.ArrivalPanel
              token={share.token}
              progress={arrival.progress}
              isWaiting={arrival.isWaiting}
              setWaiting={arrival.setWaiting}
              isDisabled={isDisabled}
              offersNotice={view.offersArrivalNotice === true}
              refresh={refresh}
            />
          )}
          <TransferInformation view={view} />
          {single ? (
            <>
              <SingleFile file={single} {...actions} />
              <ShareFile file={single} {...actions} onCounted={refresh} className="mt-5" />
            </>
          ) : (
            files.length > 0 && <FileList {...{ files, choice, loading }} {...actions} />
          )}
          <MoreWays target={action && mainTarget(share, view)} {...{ share, view, downloads, refresh }} />
          {dialogs}
        </div>
      }
    />
  );
}

function SenderLine({ view }: { view: OpenView }) {
  const { senderName, fileCount = view.files.length, totalSize = 0 } = view;
  if (!senderName) return describeContent(view);
  return (
    <Trans>
      <bdi className="font-medium text-ink">{senderName}</bdi> sent you{' '}
      <Plural value={fileCount} one="# file" other="# files" />{' '}
      <span className="whitespace-nowrap">· {formatSize(totalSize)}</span>
    </Trans>
  );
}

function ClosedNotice({ isGone }: { isGone: boolean }) {
  return (
    <p role="status" className="mt-8 max-w-[34rem] rounded-md border border-line-firm bg-surface px-5 py-4">
      <strong className="font-semibold">
        {isGone ? t`No longer available.` : t`Download limit reached.`}
      </strong>{' '}
      {isGone
        ? t`This transfer was deleted after you opened it.`
        : t`All downloads that the sender allowed have been used. Ask the sender to share the files again.`}
    </p>
  );
}
